/**
 * One statement in a loop, as data: accesses whose arguments are affine, divided or reduced by a
 * constant, with guards, padding and `where` clauses. Knows nothing of the compiler.
 */
import fc from "fast-check";

/** The statement's indices; `t` is the index of the loop around it. */
export const names = ["i", "j", "k"] as const;

/** `coefficients` of i, j, k and t. */
export interface Linear {
  readonly coefficients: readonly number[];
  readonly constant: number;
}

/** A linear part, and possibly the quotient or the remainder of another one by a constant. */
export interface Argument {
  readonly linear: Linear;
  readonly divided: { readonly of: Linear; readonly sign: "/" | "%"; readonly by: number } | null;
}

/** `linear >= 0`. */
export type Condition = Linear;

export interface Access {
  readonly shape: readonly number[];
  readonly arguments: readonly Argument[];
  readonly guard: readonly Condition[];
  readonly padded: boolean;
}

/** `name in lower:upper`. */
export interface Clause {
  readonly index: number;
  readonly lower: Linear;
  readonly upper: Linear;
}

/** All of it. Without a target shape the left side is `o(i + 60, ...)`, else `x(i, ...)`. */
export interface Model {
  readonly count: number;
  readonly loop: readonly [number, number] | null;
  readonly accesses: readonly Access[];
  readonly clauses: readonly Clause[];
  readonly target: readonly number[] | null;
}

/** A point: values of i, j, k and t. */
export type Point = readonly number[];

export function linearValue({ coefficients, constant }: Linear, point: Point): number {
  return coefficients.reduce(
    (sum, c, n) => (c === 0 ? sum : sum + c * (point[n] ?? Number.NaN)),
    constant,
  );
}

export function argumentValue({ linear, divided }: Argument, point: Point): number {
  const base = linearValue(linear, point);
  if (divided === null) return base;
  const quotient = Math.floor(linearValue(divided.of, point) / divided.by);
  if (divided.sign === "/") return base + quotient;
  return base + linearValue(divided.of, point) - divided.by * quotient;
}

const letters = [...names, "t"];

function linearText({ coefficients, constant }: Linear): string {
  const terms = coefficients.flatMap((c, n) => {
    if (c === 0) return [];
    return [c === 1 ? `${letters[n]}` : `${c} * ${letters[n]}`];
  });
  const all = constant === 0 && terms.length > 0 ? terms : [...terms, String(constant)];
  return all.join(" + ");
}

function argumentText({ linear, divided }: Argument): string {
  if (divided === null) return linearText(linear);
  const part = `(${linearText(divided.of)}) ${divided.sign} ${divided.by}`;
  const alone = linear.constant === 0 && linear.coefficients.every((c) => c === 0);
  return alone ? part : `${linearText(linear)} + ${part}`;
}

/** A program and where in it the arguments of its accesses stand. */
export interface Text {
  readonly source: string;
  /** Offsets, by access and dimension. */
  readonly places: readonly (readonly number[])[];
}

function shapeText(shape: readonly number[], name: string): string {
  return `float(${shape.join(", ")}) ${name}`;
}

/** The model as a program. */
export function print({ count, loop, accesses, clauses, target }: Model): Text {
  const indices = names.slice(0, count);
  const parameters = accesses.map(({ shape }, n) => shapeText(shape, `a${n}`));
  if (target !== null) parameters.push(shapeText(target, "x"));
  const left =
    target === null
      ? `o(${indices.map((i) => `${i} + 60`).join(", ")})`
      : `x(${indices.join(", ")})`;
  let source = `def f(${parameters.join(", ")}) -> (${target === null ? "o" : "x"}) {\n`;
  if (loop !== null) source += `for t in ${loop.join(":")} {\n`;
  source += `${left} = `;
  const places = accesses.map((access, n) => {
    const guard = access.guard.map((g) => `${linearText(g)} >= 0`).join(" && ");
    if (n > 0) source += " + ";
    source += guard === "" ? "" : `(${guard} ? `;
    source += `${access.padded ? "pad(" : ""}a${n}(`;
    const own = access.arguments.map((argument, d) => {
      if (d > 0) source += ", ";
      const place = source.length;
      source += argumentText(argument);
      return place;
    });
    source += `)${access.padded ? ", 1.0)" : ""}${guard === "" ? "" : " : 0.0)"}`;
    return own;
  });
  const ranges = clauses.map(
    (c) => `${names[c.index]} in ${linearText(c.lower)}:${linearText(c.upper)}`,
  );
  if (ranges.length > 0) source += `\nwhere ${ranges.join(", ")}`;
  source += `\n${loop === null ? "" : "}"}}\n`;
  return { source, places };
}

const coefficient = fc.oneof(
  { arbitrary: fc.constant(1), weight: 6 },
  { arbitrary: fc.constantFrom(-1, 2, 3, -2), weight: 2 },
);

/** Some of the indices below `count`, and of the loop's if it has one. */
function linear(
  count: number,
  loop: boolean,
  atMost: number,
  constants: fc.Arbitrary<number>,
): fc.Arbitrary<Linear> {
  const variables = [...[...names.keys()].slice(0, count), ...(loop ? [3] : [])];
  return fc
    .tuple(
      fc.shuffledSubarray(variables, { maxLength: Math.min(atMost, variables.length) }),
      fc.array(coefficient, { minLength: 2, maxLength: 2 }),
      constants,
    )
    .map(([used, drawn, constant]) => ({
      coefficients: [0, 1, 2, 3].map((n) => (used.includes(n) ? (drawn[used.indexOf(n)] ?? 1) : 0)),
      constant,
    }));
}

const shift = fc.oneof(
  { arbitrary: fc.constant(0), weight: 3 },
  { arbitrary: fc.integer({ min: -2, max: 4 }), weight: 2 },
);

/** An index alone, or any argument. */
function argument(count: number, loop: boolean): fc.Arbitrary<Argument> {
  const bare = fc.nat({ max: count - 1 }).map((index) => ({
    linear: { coefficients: [0, 1, 2, 3].map((n) => (n === index ? 1 : 0)), constant: 0 },
    divided: null,
  }));
  return fc.oneof(
    { arbitrary: bare, weight: 3 },
    { arbitrary: compoundArgument(count, loop), weight: 5 },
  );
}

/** Indices occur in the linear or in the divided part, not in both. */
function compoundArgument(count: number, loop: boolean): fc.Arbitrary<Argument> {
  const divided = fc
    .tuple(linear(count, loop, 2, shift), fc.constantFrom("/", "%"), fc.integer({ min: 2, max: 3 }))
    .map(([of, sign, by]) => ({ of, sign, by }) as const);
  return fc
    .tuple(linear(count, loop, 2, shift), fc.option(divided, { freq: 5, nil: null }), fc.boolean())
    .map(([plain, part, alone]) => {
      if (part === null || part.of.coefficients.every((c) => c % part.by === 0))
        return { linear: plain, divided: null };
      const ownSign =
        part.sign === "%" ? part.of.coefficients.map(Math.sign) : part.of.coefficients;
      const coefficients = plain.coefficients.map((c, n) => (alone || ownSign[n] !== 0 ? 0 : c));
      return {
        linear: { ...plain, coefficients },
        divided: { ...part, of: { ...part.of, coefficients: ownSign } },
      };
    });
}

function access(count: number, loop: boolean): fc.Arbitrary<Access> {
  const dimension = fc.tuple(fc.constantFrom(1, 4, 5, 5, 5, 7, 8), argument(count, loop));
  const guard = fc.array(linear(count, loop, 2, shift), { minLength: 1, maxLength: 2 });
  return fc
    .tuple(
      fc.array(dimension, { minLength: 1, maxLength: 2 }),
      fc.option(guard, { freq: 4, nil: [] }),
      fc.integer({ min: 0, max: 6 }),
    )
    .map(([dimensions, conditions, kind]) => ({
      shape: dimensions.map(([size]) => size),
      arguments: dimensions.map(([, own]) => own),
      guard: conditions,
      padded: kind === 0,
    }));
}

function clause(count: number, loop: boolean): fc.Arbitrary<Clause> {
  const constants = fc.integer({ min: 0, max: 3 });
  const width = fc.integer({ min: 1, max: 6 });
  const bounds = fc.oneof(
    { arbitrary: fc.tuple(linear(0, false, 0, constants), linear(0, false, 0, width)), weight: 2 },
    {
      arbitrary: fc.tuple(linear(0, false, 0, constants), linear(count, loop, 1, width)),
      weight: 1,
    },
    {
      arbitrary: fc.tuple(linear(count, loop, 1, constants), linear(0, false, 0, width)),
      weight: 1,
    },
  );
  return fc.tuple(fc.nat({ max: count - 1 }), bounds).map(([index, [lower, by]]) => {
    const upper = {
      coefficients: by.coefficients,
      constant: by.constant + Math.max(0, lower.constant),
    };
    const own = (l: Linear): Linear => ({
      ...l,
      coefficients: l.coefficients.map((c, n) => (n === index ? 0 : c)),
    });
    return { index, lower: own(lower), upper: own(upper) };
  });
}

/** Any model, right or wrong. */
export const arbitraryModel: fc.Arbitrary<Model> = fc
  .tuple(
    fc.integer({ min: 1, max: 3 }),
    fc.option(fc.constantFrom([0, 3] as const, [1, 4] as const), { nil: null, freq: 2 }),
  )
  .chain(([count, loop]) =>
    fc.record({
      count: fc.constant(count),
      loop: fc.constant(loop),
      accesses: fc.array(access(count, loop !== null), { minLength: 1, maxLength: 4 }),
      clauses: fc.array(clause(count, loop !== null), { maxLength: count }),
      target: fc.option(
        fc.array(fc.integer({ min: 2, max: 6 }), { minLength: count, maxLength: count }),
        { nil: null, freq: 4 },
      ),
    }),
  );
