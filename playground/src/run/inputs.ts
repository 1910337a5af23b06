/** What a visitor gives for an input, and the tensors that a plan takes. */
import { convertElements } from "../../../src/cli/convert-elements.ts";
import { generate, parseInput } from "../../../src/cli/generators.ts";
import type { NpyArray } from "../../../src/cli/npy.ts";
import type { PlanBuffer } from "../../../src/index.ts";
import { type ElementType, elementCount, isFloat } from "../../../src/support/scalar-type.ts";
import { CallFailure } from "../call-failure.ts";
import type { TensorValue } from "../worker-protocol.ts";

/** Words for a generator or a number, or an array of a file. */
export type InputChoice =
  | { readonly kind: "words"; readonly text: string }
  | { readonly kind: "array"; readonly file: string; readonly array: NpyArray };

/** Elements that a tensor may have here: more is refused before memory is asked for. */
const mostElements = 2 ** 27;

/** The tensors, in the order of the plan. `notes` say what was done to elements of files. */
export function makeInputs(
  buffers: readonly PlanBuffer[],
  choices: Readonly<Record<string, InputChoice>>,
): { readonly tensors: readonly TensorValue[]; readonly notes: readonly string[] } {
  checkVolume(buffers);
  const notes: string[] = [];
  const made = choicesOf(buffers, choices);
  return { tensors: made.map(([buffer, choice]) => makeInput(buffer, choice, notes)), notes };
}

/** What is chosen for each tensor that a plan takes, by the visitor, the source, or here. */
export function choicesOf(
  buffers: readonly PlanBuffer[],
  choices: Readonly<Record<string, InputChoice>>,
): readonly (readonly [PlanBuffer, InputChoice])[] {
  const wanted = buffers.filter((b) => b.role === "input" || b.role === "inout");
  return wanted.map((buffer, place) => {
    const own = Object.hasOwn(choices, buffer.name) ? choices[buffer.name] : undefined;
    const usual = usualInput(buffer.type, buffer.shape, place);
    return [buffer, own ?? { kind: "words", text: usual }];
  });
}

function checkVolume(buffers: readonly PlanBuffer[]): void {
  const large = buffers.find(({ shape }) => elementCount(shape) > mostElements);
  if (large === undefined) return;
  throw new CallFailure(
    `${large.name} has ${elementCount(large.shape).toLocaleString("en")} elements, more than this page runs with`,
    "Choose smaller sizes.",
  );
}

function makeInput(
  { name, type, shape }: PlanBuffer,
  choice: InputChoice,
  notes: string[],
): TensorValue {
  if (choice.kind === "array") {
    const { array, file } = choice;
    if (array.shape.join() !== shape.join()) {
      throw new CallFailure(
        `${name} has shape [${shape.join(", ")}], ${file} has [${array.shape.join(", ")}]`,
        "Drop another file, or set the sizes to those of the file.",
      );
    }
    const converted = convertElements(array, type, file);
    if (!converted.ok) throw new CallFailure(converted.failure.message, converted.failure.next);
    if (converted.value.note !== null) notes.push(converted.value.note);
    return { name, type, shape, data: converted.value.data };
  }
  const spec = parseInput(name, choice.text);
  if (!spec.ok) throw new CallFailure(spec.failure.message, spec.failure.next);
  if (spec.value.kind === "file") {
    throw new CallFailure(`${name} comes from ${choice.text}`, "Drop the file on the page.");
  }
  const data = generate(spec.value, name, type, shape);
  if (!data.ok) throw new CallFailure(data.failure.message, data.failure.next);
  return { name, type, shape, data: data.value };
}

/** What an input holds about which nothing is said. */
export function usualInput(type: ElementType, shape: readonly number[], place: number): string {
  if (shape.length === 0) return "1";
  if (isFloat(type)) return `randn(${place + 1})`;
  return type === "bool" ? `integers(${place + 1}, 0, 2)` : `integers(${place + 1}, 0, 10)`;
}
