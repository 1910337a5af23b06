/** Kernels of candidates that no compiler made. */
import type { CandidateKernel } from "../../../src/tuner/candidate.ts";

/** A kernel of which only the name and the text are known; what it computes is known by its name. */
export function kernelNamed(name: string, text: string): CandidateKernel {
  return {
    name,
    key: name,
    extents: [],
    types: [],
    alignment: 16,
    names: { statements: {}, tensors: {} },
    text,
    estimateUs: null,
    vetoes: [],
  };
}
