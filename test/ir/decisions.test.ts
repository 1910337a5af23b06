import { describe, expect, test } from "vitest";
import { decider, defaultOptions, optionsOf } from "../../src/ir/decisions.ts";

const yesOrNo = [false, true];

describe("an answer that turns out to be illegal", () => {
  test("is reported if someone gave it", () => {
    const answers = decider({ version: 1, choices: { a: true } });
    expect(answers.decide("a", yesOrNo, false)).toBe(true);
    answers.repair("a", true, false);
    expect(answers.repairs).toEqual([{ path: "a", asked: true, used: false }]);
    expect(answers.asked[0]).toMatchObject({ decision: { default: false }, answer: false });
  });

  test("is reported if it was drawn", () => {
    const answers = decider(defaultOptions, () => true);
    answers.decide("a", yesOrNo, true);
    answers.repair("a", true, false);
    expect(answers.repairs).toHaveLength(1);
  });

  test("is the default no more if nobody gave it, and nothing is reported", () => {
    const answers = decider({ version: 1, choices: { b: true } });
    expect(answers.decide("a", yesOrNo, true)).toBe(true);
    answers.repair("a", true, false);
    expect(answers.repairs).toEqual([]);
    expect(answers.asked).toMatchObject([
      { decision: { path: "a", default: false }, answer: false },
    ]);
    expect(optionsOf(answers).choices).toEqual({});
  });
});

test("asked again plainly, only answers that someone gave are reported", () => {
  const answers = decider({ version: 1, fuse: "all", choices: { a: 4 } });
  const ask = (): readonly unknown[] => [
    answers.decide("a", [1, 2, 4], 2),
    answers.decide("b", [1, 2, 4], 2),
    answers.decide("c", yesOrNo, false, true),
  ];
  expect(ask()).toEqual([4, 2, true]);
  expect(answers.repairs).toEqual([]);
  expect(answers.askPlainly(0, ask)).toEqual([1, 1, false]);
  expect(answers.repairs).toEqual([
    { path: "a", asked: 4, used: 1 },
    { path: "c", asked: true, used: false },
  ]);
  expect(answers.asked.map(({ decision }) => decision.default)).toEqual([2, 1, false]);
  expect(optionsOf(answers).choices).toEqual({ a: 1 });
});
