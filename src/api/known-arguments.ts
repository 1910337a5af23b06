/** What was found out about the arguments of calls, for calls with the same tensors again. */
import { isGpuTensor, type TensorInputs } from "../runtime/tensor-input.ts";

/** Answers about arguments, by the tensors in them: nothing that is asked of a tensor changes, but whether it is disposed. */
export interface KnownArguments<Answer> {
  /** The answer for these tensors by these names, which `find` gives where nobody asked before. */
  get(inputs: TensorInputs, find: () => Answer): Answer;
}

/** Answers that are kept: calls repeat a few sets of tensors. */
const keptAnswers = 64;

/** Nothing known yet. It keeps no tensor alive. */
export function createKnownArguments<Answer>(): KnownArguments<Answer> {
  const numbers = new WeakMap<object, number>();
  const answers = new Map<string, Answer>();
  let next = 0;
  const numberOf = (tensor: object): number => {
    const known = numbers.get(tensor);
    if (known !== undefined) return known;
    numbers.set(tensor, next);
    return next++;
  };
  /** Null where something is no tensor of a runtime: arrays and buffers may be others by the next call. */
  const keyOf = (inputs: TensorInputs): string | null => {
    if (typeof inputs !== "object" || inputs === null || Array.isArray(inputs)) return null;
    let key = "";
    for (const [name, value] of Object.entries(inputs)) {
      if (typeof value !== "object" || value === null || !isGpuTensor(value)) return null;
      // With its length, since a caller may give any name.
      key += `${name.length} ${name} ${numberOf(value)} `;
    }
    return key;
  };
  return {
    get: (inputs, find) => {
      const key = keyOf(inputs);
      if (key === null) return find();
      const known = answers.get(key);
      if (known !== undefined) return known;
      const answer = find();
      if (answers.size >= keptAnswers) answers.clear();
      answers.set(key, answer);
      return answer;
    },
  };
}
