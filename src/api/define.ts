/** Definitions as functions on a device. */

import { checkChoices } from "../compile.ts";
import { hasErrors } from "../diagnostics/diagnostic.ts";
import type { Runtime as DeviceRuntime } from "../runtime/runtime.ts";
import {
  checkOptions,
  checkSourceText,
  kindOf,
  type OptionNames,
} from "../support/check-call-shape.ts";
import { optionKinds } from "../support/option-kinds.ts";
import { check } from "./check.ts";
import { createKernel } from "./create-kernel.ts";
import type { DefineOptions, Kernel, KernelsOf } from "./kernel.ts";
import { namedKernels } from "./named-kernels.ts";
import { TcError } from "./tc-error.ts";

/** Executes definitions on one device. */
export interface Runtime extends DeviceRuntime {
  /**
   * The definitions of a source as functions. If the source is literal, so that its text is known
   * when the program is checked, their arguments and results are typed by what it declares.
   * @throws TcError, its message the rendered diagnostics, if the source has errors that no sizes
   *   could mend.
   */
  define<const Source extends string>(source: Source, options?: DefineOptions): KernelsOf<Source>;
}

/** Adds `define` to a runtime that executes plans. */
export function withDefine(runtime: DeviceRuntime): Runtime {
  return {
    ...runtime,
    define: <const Source extends string>(source: Source, options: DefineOptions = {}) => {
      checkSourceText("define", source);
      checkOptions("define", options, defineNames);
      checkDefinition(options);
      const { diagnostics, module } = check(source);
      if (hasErrors(diagnostics)) throw new TcError(diagnostics, source, options.file);
      const kernels = module.definitions.map((definition): readonly [string, Kernel] => {
        const { name } = definition.name;
        return [name, createKernel(runtime, { source, module, definition, options })];
      });
      return namedKernels(Object.fromEntries(kernels)) as KernelsOf<Source>;
    },
  };
}

/** Options of which no call could make sense. */
function checkDefinition({ options, keep, worker, tuner }: DefineOptions): void {
  checkChoices(options);
  if (keep !== undefined && !(Number.isSafeInteger(keep) && keep > 0)) {
    throw new RangeError(`define: \`keep\` is a whole number above 0, got ${String(keep)}`);
  }
  if (worker !== undefined && typeof Object(worker).compile !== "function") {
    const what = "is made by `createWorker` of tc-wgsl/worker";
    throw new TypeError(`define: \`worker\` ${what}, got ${kindOf(worker)}`);
  }
  if (tuner !== undefined && typeof Object(tuner).improve !== "function") {
    const what = "is made by `createTuner` of tc-wgsl/tune";
    throw new TypeError(`define: \`tuner\` ${what}, got ${kindOf(tuner)}`);
  }
}

const defineNames: OptionNames<DefineOptions> = {
  options: true,
  file: true,
  worker: true,
  tuner: true,
  temporaries: optionKinds.temporaries,
  keep: true,
};
