import type { JSX } from "preact";
import { gpuTexts } from "../run/gpu-state.ts";
import { download } from "../share/download.ts";
import { gpu, lastGood, target } from "../state.ts";
import { Examples } from "./examples-menu.tsx";
import { Help } from "./help.tsx";
import { Menu } from "./menu.tsx";
import { Share } from "./share.tsx";
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
        <Menu title="Examples">
          <Examples />
        </Menu>
        <Menu title="Share">
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
  const { compiled, def } = good;
  const name = def ?? "program";
  const files: readonly (readonly [string, string, string])[] = [
    [`${name}.tc`, "the source", good.source],
    [`${name}.wgsl`, "the kernels", compiled.wgsl],
    [`${name}.js`, "a module that runs them", compiled.js],
    [`${name}.d.ts`, "the types of the module", compiled.dts],
  ];
  return (
    <ul class="downloads">
      {files.map(([file, about, text]) => (
        <li key={file}>
          <button type="button" data-closes onClick={() => download(file, text)}>
            <b>{file}</b> <span class="faint">{about}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Which device there is, and what to compile for. */
function Device(): JSX.Element {
  const state = gpu.value;
  const { what, next } = gpuTexts(state);
  const short = { ready: "", unknown: "no device open", opening: "opening a device" };
  const text =
    state.kind === "ready"
      ? state.adapter
      : ((short as Record<string, string>)[state.kind] ?? "no device");
  return (
    <div class="device">
      <span class={`dot ${state.kind === "ready" ? "on" : "off"}`} aria-hidden="true" />
      <span class="device-name" title={`${what} ${next}`}>
        {text}
        {state.kind === "ready" && state.features.length > 0 ? (
          <span class="faint"> · {state.features.join(" · ")}</span>
        ) : null}
      </span>
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
