// One dispatch per statement: what fusion has to beat.
import { compile } from "../../dist/index.js";

/** Decisions that bring statements together. */
const joins = /\.(?:fuse\d+|join\d+|inline|merge)$/;

/**
 * Options that refuse every fusion. What is asked depends on the answers before, so they are
 * found step by step.
 * @param {import("../cases/case.js").Case} benchCase
 * @param {unknown} profile
 */
export function unfused({ source, inputs: shapes }, profile) {
  /** @type {Record<string, boolean>} */
  let choices = {};
  for (;;) {
    const compiled = compile(source, { shapes, profile, options: { version: 1, choices } });
    if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join("; "));
    const asked = compiled.decisions.filter((d) => joins.test(d.path) && !(d.path in choices));
    if (asked.length === 0) return { version: 1, choices };
    choices = { ...choices, ...Object.fromEntries(asked.map((d) => [d.path, false])) };
  }
}
