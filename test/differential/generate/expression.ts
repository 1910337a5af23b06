/** Random typed expressions over what a statement may read. */
import { isFloat, type ScalarType } from "../../../src/support/scalar-type.ts";
import { floatCall } from "./function-call.ts";
import { guardedRead, literalText, readOf } from "./read.ts";
import { type Draft, magnitudeLimit, pickTensor, type Term } from "./scene.ts";

/** A term whose absolute value is at most `most`. */
export function limited(term: Term, type: ScalarType, most: number): Term {
  if (type === "bool" || term.magnitude <= most) return term;
  if (type === "uint32") return { text: `min(${term.text}, ${most})`, magnitude: most };
  const end = type === "int32" ? String(most) : `${most}.0`;
  return { text: `clamp(${term.text}, -${end}, ${end})`, magnitude: most };
}

/** The types that values have. */
export const scalarTypes: readonly ScalarType[] = ["float32", "int32", "uint32", "bool", "float16"];

function leaf(d: Draft, type: ScalarType): Term {
  const { random, scalars } = d.scene;
  const tensor = pickTensor(d, type);
  if (tensor !== undefined && random.chance(0.75)) return readOf(d, tensor);
  const own = scalars.filter((s) => s.type === type);
  if (own.length > 0 && random.chance(0.3)) return { text: random.pick(own).name, magnitude: 9 };
  if (type === "bool") return comparison(d, 0);
  if (d.variables.length > 0 && random.chance(0.4)) return coordinate(d, type);
  if (random.chance(0.1) && d.scene.sizes.length > 0) return sizeTerm(d, type);
  const value = random.integer(-2, 4);
  return { text: literalText(type, value), magnitude: Math.abs(value) };
}

/** An index as data. */
function coordinate(d: Draft, type: ScalarType): Term {
  const v = d.scene.random.pick(d.variables);
  const magnitude = Math.max(Math.abs(v.lo), Math.abs(v.hi), 1);
  if (type === "bool") return { text: `(${v.name} % 2 == 0)`, magnitude: 1 };
  return { text: type === "int32" ? v.name : `${castName(type)}(${v.name})`, magnitude };
}

/** A size, or the size of a dimension of a tensor, as data. */
function sizeTerm(d: Draft, type: ScalarType): Term {
  const { random, sizes } = d.scene;
  const tensor = pickTensor(d);
  const { name, value } = random.pick(sizes);
  let text = name;
  let magnitude = value;
  if (tensor?.parameter === true && tensor.shape.length > 0 && random.chance(0.5)) {
    text = `${tensor.name}.0`;
    magnitude = tensor.shape[0] ?? 1;
  }
  return { text: type === "int32" ? text : `${castName(type)}(${text})`, magnitude };
}

/** The name of a type as a cast. */
export function castName(type: ScalarType): string {
  return type === "float32" ? "float" : type === "float16" ? "half" : type;
}

function comparison(d: Draft, depth: number): Term {
  const { random, exact } = d.scene;
  const types = ["float32", "int32", "int32", "uint32", "float16"] as const;
  const type = exact ? random.pick(types) : "int32";
  const operator = random.pick(["<", "<=", ">", ">=", "==", "!="]);
  const [a, b] = [expression(d, type, depth), expression(d, type, depth)];
  return { text: `(${a.text} ${operator} ${b.text})`, magnitude: 1 };
}

function logical(d: Draft, depth: number): Term {
  const { random } = d.scene;
  const kind = random.next();
  const table = pickTensor(d, "bool");
  if (kind < 0.08 && table !== undefined) {
    return { text: guardedRead(d, table), magnitude: 1 };
  }
  if (kind < 0.3) return comparison(d, depth - 1);
  if (kind < 0.42) return { text: `!(${expression(d, "bool", depth - 1).text})`, magnitude: 1 };
  if (kind < 0.58) {
    const test = random.pick(["isnan", "isinf"]);
    const type = random.chance(0.8) ? "float32" : "float16";
    return { text: `${test}(${expression(d, type, depth - 1).text})`, magnitude: 1 };
  }
  if (kind < 0.7) {
    const inner = expression(d, "int32", depth - 1);
    return { text: `bool(${inner.text}${random.pick(["", " - 1", " - 3"])})`, magnitude: 1 };
  }
  const operator = random.pick(["&&", "||"]);
  const parts = [expression(d, "bool", depth - 1), expression(d, "bool", depth - 1)];
  return { text: `(${parts.map((p) => p.text).join(` ${operator} `)})`, magnitude: 1 };
}

/** `c ? a : b` or `select(b, a, c)`. */
function choice(d: Draft, type: ScalarType, depth: number): Term {
  const { random } = d.scene;
  const condition = expression(d, "bool", depth - 1);
  const [a, b] = [expression(d, type, depth - 1), expression(d, type, depth - 1)];
  const magnitude = Math.max(a.magnitude, b.magnitude);
  if (random.chance(0.3)) {
    return { text: `select(${b.text}, ${a.text}, ${condition.text})`, magnitude };
  }
  return { text: `(${condition.text} ? ${a.text} : ${b.text})`, magnitude };
}

/** The terms made small enough for their sum, or their product, to stay below the limit. */
function arithmetic(d: Draft, type: ScalarType, depth: number): Term {
  const { random, exact } = d.scene;
  const operator = random.pick(["+", "+", "-", "-", "*", "*", "min", "max"]);
  const limit = magnitudeLimit(type);
  const most = operator === "*" ? Math.sqrt(limit) : limit / 2;
  const part = (): Term => {
    const term = expression(d, type, depth - 1);
    return isFloat(type) ? limited(term, type, most) : term;
  };
  const [a, b] = [part(), part()];
  const larger = Math.max(a.magnitude, b.magnitude);
  if (operator === "min" || operator === "max") {
    const name = isFloat(type) && random.chance(0.4) ? `f${operator}` : operator;
    return { text: `${name}(${a.text}, ${b.text})`, magnitude: larger };
  }
  const magnitude = operator === "*" ? a.magnitude * b.magnitude : a.magnitude + b.magnitude;
  const wraps = type === "uint32" || magnitude >= 2 ** 31 ? 2 ** 32 : magnitude;
  const sum = `(${a.text} ${operator} ${b.text})`;
  if (isFloat(type)) return { text: sum, magnitude: exact ? magnitude : Math.max(magnitude, 1) };
  return { text: sum, magnitude: wraps };
}

/** Forms that only integers have. */
function integerForm(d: Draft, type: "int32" | "uint32", depth: number): Term {
  const { random } = d.scene;
  const a = expression(d, type, depth - 1);
  const kind = random.next();
  if (kind < 0.5) {
    const operator = random.pick(["/", "%"]);
    const b = random.chance(0.5)
      ? { text: literalText(type, random.pick([2, 3, 5, -2, -3])), magnitude: 5 }
      : expression(d, type, depth - 1);
    const magnitude = operator === "/" ? a.magnitude : Math.min(b.magnitude, 2 ** 32);
    return { text: `(${a.text} ${operator} ${b.text})`, magnitude };
  }
  if (kind < 0.6) {
    const factor = random.pick([65537, 2147483647, 1000003]);
    const text = type === "uint32" ? `uint32(${factor})` : String(factor);
    return { text: `(${a.text} * ${text})`, magnitude: 2 ** 32 };
  }
  if (kind < 0.8) {
    const ends = type === "uint32" ? "1, 5" : "-3, 5";
    return { text: `clamp(${a.text}, ${ends})`, magnitude: 5 };
  }
  if (type === "int32") {
    const name = random.pick(["abs", "sign", "relu", "-"]);
    return { text: name === "-" ? `(-${a.text})` : `${name}(${a.text})`, magnitude: a.magnitude };
  }
  return { text: `abs(${a.text})`, magnitude: a.magnitude };
}

/** Casts that wrap, with the greatest absolute value of what they give. */
const narrowCasts: Readonly<Record<"int32" | "uint32", readonly (readonly [string, number])[]>> = {
  int32: [
    ["int8", 128],
    ["int16", 32768],
  ],
  uint32: [
    ["uint8", 255],
    ["uint16", 65535],
  ],
};

/** A cast that wraps to 8 or 16 bits. */
function narrowed(d: Draft, type: "int32" | "uint32", depth: number): Term {
  const { random, exact } = d.scene;
  const [name, magnitude] = random.pick(narrowCasts[type]);
  const from = exact ? random.pick(scalarTypes) : random.pick(["int32", "uint32"] as const);
  return { text: `${name}(${expression(d, from, depth - 1).text})`, magnitude };
}

/** A value of another type, converted. */
function converted(d: Draft, type: ScalarType, depth: number): Term {
  const { random, exact } = d.scene;
  if ((type === "int32" || type === "uint32") && random.chance(0.4)) {
    return narrowed(d, type, depth);
  }
  const others = scalarTypes.filter((t) => t !== type && (exact || !isFloat(t) || isFloat(type)));
  const from = random.pick(others);
  const inner = expression(d, from, depth - 1);
  const small = isFloat(type) ? limited(inner, from, 1000) : inner;
  if (type === "float32" && random.chance(0.2) && from !== "bool") {
    return {
      text: `(${small.text} + ${from === "float16" ? "float(1)" : "1.0"})`,
      magnitude: small.magnitude + 1,
    };
  }
  const huge = from === "float32" && !isFloat(type) && type !== "bool" && random.chance(0.1);
  if (huge) {
    const cut = limited(inner, from, 8);
    return { text: `${castName(type)}(${cut.text} * 1e9)`, magnitude: 2 ** 32 };
  }
  const negative = type === "uint32" && from === "int32";
  const magnitude = from === "bool" ? 1 : negative ? 2 ** 32 : small.magnitude;
  return { text: `${castName(type)}(${small.text})`, magnitude };
}

/** A random expression of a type. */
export function expression(d: Draft, type: ScalarType, depth: number): Term {
  const { random } = d.scene;
  if (depth <= 0 || random.chance(0.25)) return leaf(d, type);
  if (type === "bool") return logical(d, depth);
  const kind = random.next();
  if (kind < 0.4) return arithmetic(d, type, depth);
  if (kind < 0.52) return choice(d, type, depth);
  if (kind < 0.62) return converted(d, type, depth);
  if (isFloat(type)) return floatCall(d, type, () => expression(d, type, depth - 1));
  return integerForm(d, type, depth);
}
