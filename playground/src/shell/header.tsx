import type { JSX } from "preact";
import { failureText } from "../call-failure.ts";
import type { CompileJob } from "../compile/compile-source.ts";
import type { HostCode } from "../compile/details.ts";
import { DeviceInfo } from "../run/device-info.tsx";
import { gpuTexts } from "../run/gpu-state.ts";
import { timerText } from "../run/time-text.ts";
import { download } from "../share/download.ts";
import { findEarlier } from "../share/draft.ts";
import { detailOf, gpu, lastGood, notice, target } from "../state.ts";
import { Examples } from "./examples-menu.tsx";
import { Help } from "./help.tsx";
import { Menu } from "./menu.tsx";
import { prepareShare, Share } from "./share.tsx";
import { setTheme, theme } from "./theme.ts";

/** As `namedProfiles` has them; the page itself carries none of their figures. */
const profiles = [
  "baseline",
  "gpu",
  "nvidia",
  "apple",
  "amd-rdna",
  "intel-xe",
  "adreno",
  "mali",
  "swiftshader",
  "llvmpipe",
] as const;

/** Name, examples, sharing, downloads, the device, and how the page looks. */
export function Header(): JSX.Element {
  return (
    <header class="top">
      <h1 class="brand">
        tc<b>·wgsl</b>
      </h1>
      <nav aria-label="Programs and links">
        <Menu title="Examples" onOpen={() => void findEarlier()}>
          <Examples />
        </Menu>
        <Menu title="Share" onOpen={prepareShare}>
          <Share />
        </Menu>
        <Menu title="Download">
          <Downloads />
        </Menu>
        <Menu title="Help">
          <Help />
        </Menu>
      </nav>
      <Device />
      <button
        type="button"
        class="icon"
        aria-label={theme.value === "dark" ? "Light colours" : "Dark colours"}
        onClick={() => setTheme(theme.value === "dark" ? "light" : "dark")}
      >
        <span aria-hidden="true">{theme.value === "dark" ? "☀" : "☾"}</span>
      </button>
    </header>
  );
}

function Downloads(): JSX.Element {
  const good = lastGood.value;
  if (good === null) return <p>There is nothing yet: the source has errors.</p>;
  const { compiled, def, job } = good;
  const name = def ?? "program";
  const files: readonly (readonly [string, string, () => void])[] = [
    [`${name}.tc`, "the source", () => download(`${name}.tc`, good.source)],
    [`${name}.wgsl`, "the kernels", () => download(`${name}.wgsl`, compiled.wgsl)],
    [`${name}.js`, "a module that runs them", () => void saveHost(`${name}.js`, job, "js")],
    [`${name}.d.ts`, "the types of the module", () => void saveHost(`${name}.d.ts`, job, "dts")],
  ];
  return (
    <ul class="downloads">
      {files.map(([file, about, save]) => (
        <li key={file}>
          <button type="button" data-closes onClick={save}>
            <b>{file}</b> <span class="faint">{about}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Saves what is made when it is asked for. */
async function saveHost(file: string, job: CompileJob, which: keyof HostCode): Promise<void> {
  const code = await detailOf("host", job);
  if (code instanceof Error) notice.value = `${file} was not made: ${failureText(code)}`;
  else if (code !== null) download(file, code[which]);
  else notice.value = `${file} was not made, because the source changed meanwhile: ask again.`;
}

/** Which device there is, and what to compile for. */
function Device(): JSX.Element {
  const state = gpu.value;
  const { what, next } = gpuTexts(state);
  const features = state.kind === "ready" ? state.features : [];
  const timer = state.kind === "ready" ? state.timer : null;
  const short = { ready: "", unknown: "no device open", opening: "opening a device" };
  const text =
    state.kind === "ready"
      ? state.adapter
      : ((short as Record<string, string>)[state.kind] ?? "no device");
  return (
    <div class="device">
      <Menu
        title={
          <>
            <span class={`dot ${state.kind === "ready" ? "on" : "off"}`} aria-hidden="true" />
            <span class="device-name" title={[`${what} ${next}`.trim(), ...features].join(" · ")}>
              <span>{text}</span>
              {features.length > 0 ? (
                <span class="faint features"> · {features.join(" · ")}</span>
              ) : null}
              {timer === null ? null : <span class="faint timer"> · {timerText(timer)}</span>}
            </span>
          </>
        }
      >
        <DeviceInfo />
      </Menu>
      <label>
        <span class="hidden">Compile for</span>
        <select
          value={target.value}
          onChange={(event) => {
            target.value = event.currentTarget.value;
          }}
        >
          <option value="device">for this device</option>
          {profiles.map((name) => (
            <option key={name} value={name}>
              for {name}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}
