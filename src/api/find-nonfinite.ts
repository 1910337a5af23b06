import {
  findNonfinite as findInProgram,
  type NonfiniteOrigin,
} from "../ir/interpret/find-nonfinite.ts";
import { countPoints, restrictOutputs } from "../ir/interpret/restrict-outputs.ts";
import type { Program } from "../ir/program.ts";
import { defined, invariant } from "../support/assert.ts";
import { checkOptions, checkSourceText, type OptionNames } from "../support/check-call-shape.ts";
import { rowMajorStrides, type TensorData } from "../support/scalar-type.ts";
import { type HostInputs, readHostResults } from "./host-tensors.ts";
import { type InterpretRequest, interpretNames, openReference } from "./interpret.ts";

export interface FindNonfiniteRequest extends InterpretRequest {
  /** What a device made of the inputs: then it is looked at, too, and says where to search. */
  readonly outputs?: HostInputs;
  /** About how many points may be computed; 20 million by default, some seconds. */
  readonly maxPoints?: number;
}

const requestNames: OptionNames<FindNonfiniteRequest> = {
  ...interpretNames,
  outputs: true,
  maxPoints: true,
};

/** Elements of a tensor that are NaN or infinite. */
export interface NonfiniteElements {
  readonly tensor: string;
  readonly count: number;
  /** The first of them, in row-major order. */
  readonly index: readonly number[];
  readonly value: number;
}

/** Which values are not finite, and where the first came from. */
export interface NonfiniteReport {
  /** Inputs, and outputs of the request, that hold such elements. */
  readonly inputs: readonly NonfiniteElements[];
  readonly outputs: readonly NonfiniteElements[];
  /** What made the first infinity of finite numbers, and the first NaN of numbers. */
  readonly infinity: NonfiniteOrigin | null;
  readonly nan: NonfiniteOrigin | null;
  /**
   * `program`: all of it was searched. `element`: what the first such element of the outputs needs,
   * because all would take more points. `nothing`: not even that.
   */
  readonly searched: "program" | "element" | "nothing";
}

const defaultMaxPoints = 20_000_000;

/**
 * Finds the first operation that makes a NaN or an infinity: in program order, in float32, on plain
 * loops.
 * @throws TcError for mistakes in the source, RuntimeFault `argument` for tensors that do not fit.
 */
export function findNonfinite(
  source: string,
  inputs: HostInputs,
  request: FindNonfiniteRequest = {},
): NonfiniteReport {
  checkSourceText("findNonfinite", source);
  checkOptions("findNonfinite", request, requestNames);
  const { program, inputs: data } = openReference(source, inputs, request);
  const results = request.outputs === undefined ? {} : readHostResults(program, request.outputs);
  const [given, outputs] = [nonfiniteIn(program, data), nonfiniteIn(program, results)];
  const maxPoints = request.maxPoints ?? defaultMaxPoints;
  const [first] = outputs;
  const part = { inputs: given, outputs };
  const whole = search(program, data, maxPoints);
  if (whole !== null) return { ...part, ...whole, searched: "program" };
  const cone = first === undefined ? null : search(restrictTo(program, first), data, maxPoints);
  if (cone !== null) return { ...part, ...cone, searched: "element" };
  return { ...part, infinity: null, nan: null, searched: "nothing" };
}

/** The program that computes one element. */
function restrictTo(program: Program, { tensor, index }: NonfiniteElements): Program {
  const box = index.map((at) => ({ lo: at, hi: at }));
  return restrictOutputs(program, new Map([[tensor, box]]));
}

/** Null where it takes more points. */
function search(
  program: Program,
  data: Readonly<Record<string, TensorData>>,
  maxPoints: number,
): Pick<NonfiniteReport, "infinity" | "nan"> | null {
  if (countPoints(program) > maxPoints) return null;
  const { infinity, nan, complete, faults } = findInProgram(program, data, maxPoints);
  invariant(faults.length === 0, `checked inputs do not fit: ${faults.join("; ")}`);
  return complete ? { infinity, nan } : null;
}

function nonfiniteIn(
  program: Program,
  tensors: Readonly<Record<string, TensorData>>,
): readonly NonfiniteElements[] {
  return Object.entries(tensors).flatMap(([tensor, data]): readonly NonfiniteElements[] => {
    const at = data.findIndex((value) => !Number.isFinite(value));
    if (at < 0) return [];
    const found = program.tensors.find(({ name }) => name === tensor);
    const { shape } = defined(found, "tensor", tensor);
    const strides = rowMajorStrides(shape);
    const index = shape.map((extent, d) => Math.floor(at / (strides[d] ?? 1)) % extent);
    let count = 0;
    for (const value of data) count += Number.isFinite(value) ? 0 : 1;
    return [{ tensor, count, index, value: data[at] ?? 0 }];
  });
}
