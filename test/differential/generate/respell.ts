/** Other spellings of the same tokens. */
import type { Random } from "../../../src/support/random.ts";

const types: Readonly<Record<string, string>> = {
  float: "float32",
  half: "float16",
  int: "int32",
  int32: "int",
};

function respellFloat(random: Random, text: string): string {
  const [whole = "0", part = "0"] = text.split(".");
  if (part.includes("e")) return text;
  const digits = whole + part;
  const spellings = [
    `${text}e0`,
    `${digits}E-${part.length}`,
    `${text}e+00`,
    ...(whole === "0" && part !== "0" ? [`.${part}`, `.${part}`, `.${part}0`] : []),
    ...(part === "0" ? [`${whole}e0`] : []),
  ];
  return random.pick(spellings);
}

function respellInteger(random: Random, text: string): string {
  const hex = Number(text).toString(16);
  return `0x${random.chance(0.5) ? hex : hex.toUpperCase()}`;
}

/** Types, numbers and comments in other spellings; TC's clause about equivalence, which says nothing. */
export function respell(random: Random, source: string): string {
  const share = 0.3;
  return source
    .replace(/(?<![\w.])(?:float|half|int|int32)(?=[\s(])/g, (type) =>
      random.chance(share) ? (types[type] ?? type) : type,
    )
    .replace(/(?<![\w.])\d+(?:\.\d+)?(?![\w.])/g, (number) => {
      if (!random.chance(share)) return number;
      return number.includes(".") ? respellFloat(random, number) : respellInteger(random, number);
    })
    .split("\n")
    .map((line) => {
      const calls = /= g\d+\(/.test(line);
      const assigns =
        !calls && /^\s+[A-Za-z_]\w*(?:\(|\s+\S*=)/.test(line) && / \S*=!? /.test(line);
      if (assigns && random.chance(0.05)) return `${line} <=> torch_matmul(A, (1))`;
      return random.chance(0.04)
        ? `${line} # ${random.pick(["where", "}", "def", "#!", "é"])}`
        : line;
    })
    .join("\n");
}
