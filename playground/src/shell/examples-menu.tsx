import { type Signal, signal } from "@preact/signals";
import type { JSX } from "preact";
import { exampleGroups } from "../examples.ts";
import { earlier, openEarlier } from "../share/draft.ts";
import { openProgram } from "../state.ts";
import { callOnce } from "../worker-client.ts";
import { openFile } from "./open-file.ts";

const nothing = { def: null, sizes: {}, inputs: {}, options: "" };

/** Programs to start from. */
export function Examples(): JSX.Element {
  return (
    <>
      <Einsum />
      <p class="actions einsum">
        <label class="button small">
          Open a file
          <input
            type="file"
            accept=".tc,text/plain"
            onChange={({ currentTarget: input }) => {
              // The same file may be chosen again.
              void openFile(input.files?.[0]).then(() => (input.value = ""));
            }}
          />
        </label>
        <span class="faint">or drop one on the code</span>
      </p>
      <div class="examples">
        {earlier.value.length === 0 ? null : <Earlier />}
        {exampleGroups.map(({ title, examples }) => (
          <section key={title}>
            <h2 class="small-title">{title}</h2>
            <ul>
              {examples.map(({ name, about, source }) => (
                <li key={name}>
                  <button
                    type="button"
                    data-closes
                    onClick={() => openProgram({ source, ...nothing })}
                  >
                    <b>{name}</b> <span class="faint">{about}</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </>
  );
}

/** What the visitor wrote before something else was opened. */
function Earlier(): JSX.Element {
  return (
    <section>
      <h2 class="small-title">Your earlier drafts</h2>
      <ul>
        {earlier.value.map(({ line, state: { source } }) => (
          <li key={line}>
            <button type="button" data-closes onClick={() => void openEarlier(line)}>
              <b>{[...source.matchAll(/\bdef\s+(\w+)/g)].map(([, name]) => name).join(", ")}</b>{" "}
              <span class="faint">{source.trimEnd().split("\n").length} lines</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const formula: Signal<string> = signal("");
/** Why the formula is none. */
const fault: Signal<string> = signal("");

async function writeEinsum(): Promise<void> {
  try {
    const source = await callOnce({ kind: "einsum", formula: formula.value });
    openProgram({ source, ...nothing });
    fault.value = "";
  } catch (error) {
    fault.value = error instanceof Error ? error.message : String(error);
  }
}

/** A formula of `numpy.einsum`, made a program. */
function Einsum(): JSX.Element {
  return (
    <div class="einsum">
      <form
        class="actions"
        onSubmit={(event) => {
          event.preventDefault();
          void writeEinsum();
        }}
      >
        <label>
          From einsum{" "}
          <input
            type="text"
            size={16}
            placeholder="bhmk,bhkn->bhmn"
            spellcheck={false}
            value={formula.value}
            onInput={(event) => {
              formula.value = event.currentTarget.value;
            }}
          />
        </label>
        <button type="submit" disabled={formula.value.trim() === ""}>
          Write it
        </button>
      </form>
      <p role="status" class="bad">
        {fault.value}
      </p>
    </div>
  );
}
