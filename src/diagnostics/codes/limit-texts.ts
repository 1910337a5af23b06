/** TC5xxx: limits of devices. */
import { bytesText } from "../../support/bytes-text.ts";
import { quoted } from "./phrases.ts";
import type { ProblemTexts } from "./problem-data.ts";

/** The texts of these codes. */
export const limitTexts: ProblemTexts<"TC5"> = {
  TC5001: {
    title: "over a limit of the device",
    message: (d) => `the compiled kernel is over a limit of profile \`${d.profile}\`: ${d.detail}`,
    hint: () => "split the definition, choose smaller sizes, or compile for another profile",
  },
  TC5002: {
    title: "a tensor that is too large to bind",
    message: (d) => {
      const what = `${d.temporary ? "the temporary " : ""}\`${d.name}\` (${d.type}, ${shapeText(d)})`;
      const [takes, most] = amounts(d.bytes, d.limit);
      const limit = `profile \`${d.profile}\` binds at most ${most}`;
      return `${what} takes ${takes}; ${limit} (maxStorageBufferBindingSize)`;
    },
    hint: () =>
      "choose smaller sizes, compute it in parts, or compile for the profile of a device with a higher limit",
  },
  TC5003: {
    title: "a tensor with too many elements",
    message: (d) =>
      `\`${d.name}\` (${shapeText(d)}) has ${d.count} elements; indices have 32 bits, for at most 2147483647`,
    hint: () => "choose smaller sizes, or compute it in parts",
  },
  TC5004: {
    title: "an index that is too large",
    message: (d) =>
      `\`${d.index}\` reaches ${d.value}; indices have 32 bits, for at most 2147483647`,
    hint: () => "choose smaller sizes or factors",
  },
  TC5005: {
    title: "symbolic sizes",
    message: (d) => `symbolic sizes are not supported yet: ${quoted(d.names)}`,
    hint: () =>
      "leave `symbolic` out and give the values: each set of sizes is compiled once, and `define` takes them from the arguments of each call",
  },
};

/** Two different numbers of bytes in texts that differ. */
function amounts(a: number, b: number): readonly [string, string] {
  const [first, second] = [bytesText(a), bytesText(b)];
  return first === second ? [`${a} bytes`, `${b} bytes`] : [first, second];
}

function shapeText({ shape }: { readonly shape: readonly number[] }): string {
  return shape.length === 0 ? "scalar" : shape.join(" x ");
}
