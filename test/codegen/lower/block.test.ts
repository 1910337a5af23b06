import { expect, test } from "vitest";
import { nameSource, openBlock } from "../../../src/codegen/lower/block.ts";
import { builtin, load, local, op, store, typed, u } from "../support/kernels.ts";

const condition = op(local, "<", u(2));
const value = load("p", u(0));
const how = { kind: "broadcast", lane: u(1) } as const;

/** The kinds of the statements after one guarded store into `p` and one guarded exchange. */
function kindsAfter(exchanged: readonly string[], exchangedArray = "p"): readonly string[] {
  const block = openBlock(nameSource(new Set()));
  block.guard(condition, new Set(), (inner) => inner.emit(store("p", u(0), load("x", local))));
  block.guard(condition, new Set(exchanged), (inner) => {
    const given = { ...value, array: exchangedArray } as typeof value;
    const got = inner.exchange("v", "v", () => ({ type: typed("float32"), value: given, how }));
    inner.emit(store("y", builtin("lane"), got));
  });
  return block.statements.map((s) => s.kind);
}

test("an exchange stands behind what the condition before it stores into the array", () => {
  expect(kindsAfter(["p"])).toEqual(["if", "exchange", "if"]);
});

test("neighbours under one condition are one, behind exchanges of what it does not store", () => {
  expect(kindsAfter(["q"], "q")).toEqual(["exchange", "if"]);
});
