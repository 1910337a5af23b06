/**
 * What is measured: one definition, with the best program for it that a user of each peer would
 * write. A peer without a program says in `unsupported` why.
 *
 * @typedef {object} Case
 * @property {string} name
 * @property {string} source one definition
 * @property {Readonly<Record<string, readonly number[]>>} inputs shapes by name, in the order of the
 *   peers' arguments; values are uniform in [-1, 1)
 * @property {Readonly<Record<string, number>>} [integers] inputs of type int: values below this
 * @property {{ readonly name: string, readonly shape: readonly number[] }} output
 * @property {number} operations floating-point operations at all points: an operator, an extremum, a
 *   selection, an elementary function and a reduction's update are one each; what is written twice counts
 *   once. The update of an arg reduction is two: the extremum, and the selection of its index
 * @property {number} bytes of the inputs and the output, each once
 * @property {number} terms the longest sum, for the tolerance
 * @property {(inputs: any, at: number) => number} element one element of the output in float64,
 *   `at` counts in row-major order
 * @property {(jax: any) => (...inputs: any[]) => any} [jax]
 * @property {(tf: any) => (...inputs: any[]) => any} [tfjs]
 * @property {"HWC"} [tfjsLayout] the order in which `tfjs` has a result that is channels first
 * @property {readonly OnnxNode[]} [onnx]
 * @property {Readonly<Record<string, readonly number[]>>} [constants] int64 vectors that nodes of `onnx` use
 * @property {Readonly<Record<string, string>>} [unsupported] reasons by peer: it has no program
 * @property {Readonly<Record<string, string>>} [unranked] reasons by peer: it computes elsewhere
 * @property {string} [group] `cases`, `recurrent`, `relatives` or `scaling`
 * @property {string} [relative] the plain case whose time per operation it should keep up with
 * @property {string} [curve] the scaling curve that it is a point of
 * @property {number} [size] the place on that curve
 *
 * @typedef {object} OnnxNode
 * @property {string} op
 * @property {readonly string[]} inputs
 * @property {string} output
 * @property {Readonly<Record<string, number | readonly number[]>>} [attributes]
 */
export {};
