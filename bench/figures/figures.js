// What is not the time of a kernel: compiling, starting, size, calls, memory.
import { cases } from "../cases/cases.js";
import { bundleSize } from "./bundle-size.js";
import { callTimes } from "./calls.js";
import { coldStart } from "./cold-start.js";
import { compileTimes } from "./compile-time.js";
import { memory } from "./memory.js";

/**
 * @typedef {object} Figure
 * @property {string} figure what it is
 * @property {string} of what it was measured on
 * @property {number} value
 * @property {string} unit
 * @property {number} [target] what it should be at most
 * @property {string} adapter
 * @property {string} date
 */

/**
 * @param {import("../session.js").Session} session
 * @returns {AsyncGenerator<Figure>}
 */
export async function* figures(session) {
  const { adapter, date, runtime } = session;
  const plain = cases.filter((c) => c.group === "cases" || c.group === "recurrent");
  const parts = [
    () => compileTimes(plain, runtime.profile),
    () => coldStart(),
    () => bundleSize(),
    () => callTimes(runtime),
    () => memory(runtime),
  ];
  for (const part of parts) {
    for (const figure of await part()) yield { ...figure, adapter, date };
  }
}
