import { type Signal, signal } from "@preact/signals";
import type { JSX } from "preact";
import { readNpy } from "../../../src/cli/npy.ts";
import type { PlanBuffer } from "../../../src/index.ts";
import type { SizeValue } from "../compile/compile-source.ts";
import { checked, chosenDef, inputChoices, lastGood, setSizes } from "../state.ts";
import { type InputChoice, usualInput } from "./inputs.ts";

/** What is wrong with a file that was dropped. */
const fileFault: Signal<string | null> = signal<string | null>(null);

/** Files beyond this are not read, in bytes. */
const largestFile = 2 ** 29;

const origins: Readonly<Record<SizeValue["from"], string>> = {
  visitor: "set here",
  source: "from #! sizes",
  file: "from the file",
  page: "chosen by this page",
};

/** Sizes and inputs of the definition: what is empty comes from the source, or is chosen here. */
export function Inputs(): JSX.Element {
  const sizes = checked.value?.sizes ?? [];
  const buffers = lastGood.value?.compiled.plan.buffers ?? [];
  const inputs = buffers.filter(({ role }) => role === "input" || role === "inout");
  return (
    <div class="inputs">
      <Definitions />
      {sizes.length === 0 ? null : (
        <fieldset>
          <legend>Sizes</legend>
          <div class="sizes">
            {sizes.map((size) => (
              <SizeField key={size.name} size={size} />
            ))}
          </div>
        </fieldset>
      )}
      {inputs.length === 0 ? null : (
        <fieldset>
          <legend>Inputs</legend>
          {inputs.map((buffer, place) => (
            <InputField key={buffer.name} buffer={buffer} place={place} />
          ))}
          <p class="faint">
            A number, zeros, ones, arange, full(v), randn(seed), uniform(seed, lo, hi),
            integers(seed, lo, hi), or drop a .npy file on a row.
          </p>
          {fileFault.value === null ? null : (
            <p class="fault" role="alert">
              {fileFault.value}
            </p>
          )}
        </fieldset>
      )}
    </div>
  );
}

/** Which definition, where there are several. */
function Definitions(): JSX.Element | null {
  const found = checked.value;
  const names = found?.outline.definitions.map((d) => d.name) ?? [];
  if (found === null || names.length < 2) return null;
  return (
    <label class="row">
      <span>Definition</span>
      <select
        value={found.def ?? ""}
        onChange={(event) => {
          chosenDef.value = event.currentTarget.value;
        }}
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function SizeField({ size: { name, value, from } }: { readonly size: SizeValue }): JSX.Element {
  const own = setSizes.value[name];
  return (
    <label title={origins[from]}>
      <span>{name}</span>
      <input
        type="number"
        step={1}
        inputMode="numeric"
        value={own ?? ""}
        placeholder={value === null ? "" : String(value)}
        onInput={(event) => setSize(name, event.currentTarget.value)}
      />
    </label>
  );
}

function setSize(name: string, text: string): void {
  const { [name]: _, ...others } = setSizes.value;
  const value = Number(text);
  const usable = text.trim() !== "" && Number.isSafeInteger(value) && Math.abs(value) < 2 ** 31;
  setSizes.value = usable ? { ...others, [name]: value } : others;
}

interface InputFieldProps {
  readonly buffer: PlanBuffer;
  readonly place: number;
}

function InputField({ buffer: { name, type, shape }, place }: InputFieldProps): JSX.Element {
  const choice = inputChoices.value[name];
  const written = checked.value?.outline.inputs[name];
  const usual = written ?? usualInput(type, shape, place);
  const title = (
    <span>
      <code>{name}</code>{" "}
      <span class="faint">
        {type} {shape.length === 0 ? "scalar" : shape.join(" × ")}
      </span>
    </span>
  );
  return (
    <fieldset
      class="input-row"
      aria-label={`Input ${name}`}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void takeFile(name, event.dataTransfer?.files[0]);
      }}
    >
      {choice?.kind === "array" ? (
        <p class="row">
          {title} <span class="file">{choice.file}</span>
        </p>
      ) : (
        <label class="row">
          {title}
          <input
            type="text"
            spellcheck={false}
            autocomplete="off"
            value={choice?.text ?? ""}
            placeholder={usual}
            onInput={(event) => setInput(name, event.currentTarget.value)}
          />
        </label>
      )}
      {choice?.kind === "array" ? (
        <button type="button" class="small" onClick={() => setInput(name, "")}>
          Remove
        </button>
      ) : (
        <label class="button small">
          File
          <input
            type="file"
            accept=".npy"
            aria-label={`A .npy file for ${name}`}
            onChange={(event) => void takeFile(name, event.currentTarget.files?.[0])}
          />
        </label>
      )}
    </fieldset>
  );
}

function setInput(name: string, text: string): void {
  const { [name]: _, ...others } = inputChoices.value;
  const choice: InputChoice = { kind: "words", text };
  inputChoices.value = text.trim() === "" ? others : { ...others, [name]: choice };
}

async function takeFile(name: string, file: File | undefined): Promise<void> {
  if (file === undefined) return;
  if (file.size > largestFile) {
    fileFault.value = `${file.name} is larger than ${largestFile / 2 ** 20} MiB.`;
    return;
  }
  const read = readNpy(new Uint8Array(await file.arrayBuffer()), file.name);
  if (!read.ok) {
    fileFault.value = `${read.failure.message}; ${read.failure.next}.`;
    return;
  }
  fileFault.value = null;
  const choice: InputChoice = { kind: "array", file: file.name, array: read.value };
  inputChoices.value = { ...inputChoices.value, [name]: choice };
}
