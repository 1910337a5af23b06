import type { JSX } from "preact";
import { CostPanel } from "../cost/cost-panel.tsx";
import { type OutputName, shownOutput } from "../shell/shown.ts";
import { Tabs } from "../shell/tabs.tsx";
import { compiling, isStale, lastGood } from "../state.ts";
import { BindingsTable } from "./bindings-table.tsx";
import { CodeView } from "./code-view.tsx";
import { HostPanel } from "./host-panel.tsx";
import { MappingPanel } from "./mapping-panel.tsx";
import { RangesTable } from "./ranges-table.tsx";

/** What the compiler made, in several views. It stays, dimmed, while the source has errors. */
export function OutputPanel(): JSX.Element {
  const good = lastGood.value;
  const stale = isStale.value;
  const view =
    (make: (good: NonNullable<typeof lastGood.value>) => JSX.Element) => (): JSX.Element =>
      good === null ? (
        <p class="empty">
          {compiling.value ? "Compiling…" : "Nothing compiled yet: see the problems."}
        </p>
      ) : (
        <div class={stale ? "stale fill" : "fill"}>{make(good)}</div>
      );
  return (
    <section class="output" aria-label="What the compiler makes of it" aria-busy={compiling.value}>
      <Tabs<OutputName>
        label="Views of the output"
        shown={shownOutput.value}
        onShow={(name) => {
          shownOutput.value = name;
        }}
        tabs={[
          {
            name: "wgsl",
            title: "WGSL",
            body: view(({ compiled }) => (
              <CodeView text={compiled.wgsl} language="wgsl" label="WGSL" panel="wgsl" />
            )),
          },
          {
            name: "loops",
            title: "Loops",
            body: view(({ compiled }) => (
              <CodeView text={compiled.loops} language="ir" label="Loops" panel="loops" />
            )),
          },
          { name: "host", title: "Host code", body: view(() => <HostPanel />) },
          { name: "ranges", title: "Ranges", body: view((g) => <RangesTable good={g} />) },
          { name: "bindings", title: "Bindings", body: view((g) => <BindingsTable good={g} />) },
          { name: "cost", title: "Cost", body: view((g) => <CostPanel good={g} />) },
          { name: "mapping", title: "Mapping", body: () => <MappingPanel /> },
        ]}
      >
        {stale ? (
          <span class="stale-note" role="status">
            of the last version without errors
          </span>
        ) : null}
      </Tabs>
    </section>
  );
}
