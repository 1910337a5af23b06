/** Functions that a compiler leaves out, each by itself. */
import { literalOf } from "../../../src/codegen/build.ts";
import { scalarFunctions } from "../../../src/support/scalar-functions.ts";
import { type CompilerFault, expressionFault } from "./inject.ts";

/** Functions that kernels have as operators. */
const operators: ReadonlySet<string> = new Set(["min", "max", "select"]);

/** For each function a compiler that takes the last argument for its value. */
export const functionFaults: readonly CompilerFault[] = Object.keys(scalarFunctions)
  .filter((name) => !operators.has(name))
  .map((name) =>
    expressionFault(`${name} left out`, (e) => {
      if (e.kind !== "call" || e.function !== name) return undefined;
      const argument = e.arguments.at(-1);
      if (argument === undefined) return undefined;
      return argument.type.scalar === e.type.scalar ? argument : literalOf(1, e.type);
    }),
  );
