/** The table of functions in docs/language.md, read as what it promises. */
import { readFileSync } from "node:fs";

/** The largest absolute error at `x` (and `y`), where the value is `v` and its ulp `ulp`. */
export type ErrorBound = (x: number, y: number, v: number) => number;

/** A row of the table, for one of its functions. */
export interface Row {
  readonly name: string;
  readonly arity: number;
  readonly exact: boolean;
  /** Nothing is promised at infinity. */
  readonly devices: boolean;
  readonly bound: ErrorBound;
  /** `f(a, b) = v`. */
  readonly limits: readonly { readonly arguments: readonly number[]; readonly value: number }[];
}

/** The distance of the float32 values around v. */
export function ulpOf(v: number): number {
  return 2 ** (Math.max(Math.floor(Math.log2(Math.abs(v))), -126) - 23);
}

function formula(text: string): ErrorBound {
  const number = /^([\d.]+) ulp( \+ ([\de.-]+))?$/.exec(text);
  if (number !== null) {
    const [, units, , absolute = "0"] = number;
    return (_x, _y, v) => Number(units) * ulpOf(v) + Number(absolute);
  }
  const growing = /^\((\d+) \+ (2 abs\(x\)|x\*x)\) ulp$/.exec(text);
  if (growing !== null) {
    const [, units, term] = growing;
    const more = (x: number): number => (term === "x*x" ? x * x : 2 * Math.abs(x));
    return (x, _y, v) => (Number(units) + more(x)) * ulpOf(v);
  }
  if (text === "1 ulp + 1 ulp of x*y") {
    return (x, y, v) => (Math.abs(x * y) < 2 ** 128 ? ulpOf(v) + ulpOf(x * y) : Infinity);
  }
  throw new Error(`the accuracy "${text}" has no meaning`);
}

function accuracy(cell: string): ErrorBound {
  if (cell === "exact") return () => 0;
  const found = /^`([^`]+)`(?:, below (\S+) `([^`]+)`)?$/.exec(cell);
  if (found === null) throw new Error(`the accuracy ${cell} has no meaning`);
  const [, all = "", limit, below] = found;
  const general = formula(all);
  if (limit === undefined || below === undefined) return general;
  const left = formula(below);
  const border = limit === "-1/2" ? -0.5 : Number(limit);
  return (x, y, v) => (x < border ? left : general)(x, y, v);
}

const words: Readonly<Record<string, number>> = {
  inf: Infinity,
  "-inf": -Infinity,
  nan: Number.NaN,
  pi: Math.PI,
  "pi/2": Math.PI / 2,
  "-pi/2": -Math.PI / 2,
  "pi/4": Math.PI / 4,
};

function numberOf(text: string): number {
  return words[text] ?? Number(text);
}

function limitsOf(name: string, cell: string): Row["limits"] {
  return [...cell.matchAll(/`(\w+)\(([^)]*)\) = ([^`]+)`/g)]
    .filter(([, f]) => f === name)
    .map(([, , list = "", value = ""]) => ({
      arguments: list.split(", ").map(numberOf),
      value: numberOf(value),
    }));
}

/** One row for each function of the table. */
export function documentedFunctions(): readonly Row[] {
  const text = readFileSync(new URL("../../../docs/language.md", import.meta.url), "utf8");
  const section = /\n## Functions\n([\s\S]*?)\n## /.exec(text)?.[1] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  return rows.flatMap((line) => {
    const [, names = "", , precision = "", atInfinity = ""] = line.split("|").map((c) => c.trim());
    return [...names.matchAll(/`(\w+)\(([^)]*)\)`/g)].map(([, name = "", parameters = ""]) => ({
      name,
      arity: parameters.split(",").length,
      exact: precision === "exact",
      devices: atInfinity === "the device's",
      bound: accuracy(precision),
      limits: limitsOf(name, atInfinity),
    }));
  });
}
