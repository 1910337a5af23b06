/** What compilations chose, by path. */
import type { Compiled } from "../../../src/compile.ts";
import { boundPath } from "../../../src/ir/mapping/canonical-names.ts";
import type { Choice } from "../../../src/support/mapping-file.ts";

/** The value of a path with canonical names, as `kernels/$0/unroll`; undefined where that is not asked. */
export function chosen({ program, decisions }: Compiled, path: string): Choice | undefined {
  const bound = boundPath(program, path);
  return decisions.find((d) => d.path === bound)?.value;
}

/** The value of a knob of the first kernel that has knobs; undefined where that is not asked. */
export function chosenFirst({ decisions }: Compiled, knob: string): Choice | undefined {
  const first = decisions.find((d) => d.path.startsWith("kernels/"))?.path.split("/")[1];
  return decisions.find((d) => d.path === `kernels/${first}/${knob}`)?.value;
}
