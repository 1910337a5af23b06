/**
 * A library that is measured.
 *
 * @typedef {object} Peer
 * @property {(benchCase: import("../cases/case.js").Case, inputs: Inputs) => Promise<Prepared | { unsupported: string } | null>} prepare
 *   null: it has no program for the case
 *
 * @typedef {Readonly<Record<string, Float32Array | Int32Array>>} Inputs
 *
 * @typedef {object} Prepared
 * @property {() => any} call starts one execution; a result, or a promise of one
 * @property {(results: any[]) => Promise<void>} settle until all of them are computed
 * @property {(result: any) => Promise<ArrayLike<number>>} read
 * @property {(results: any[]) => void} release
 * @property {() => void} dispose
 * @property {number} [stale] answers of its options that mean nothing any more
 * @property {string} [plan] the text of what is executed: the same text, the same work
 */
export {};
