/** What a tuning run tells and what is remembered of it, made up. */
import type { Records, TuneEvent, TuneResult } from "../../src/cli/api.ts";
import { figuresOf } from "../../src/tuner/statistics.ts";

/** The best ones. */
export const options = { version: 2, kernels: { C: { team: 4 } } } as const;

const result: TuneResult = {
  def: "scale",
  sizes: { N: 4 },
  options,
  alternative: null,
  source: { kind: "tuned" },
  default: figuresOf([40, 42, 41]),
  ratio: 0.5,
  tuned: figuresOf([20, 21, 20.5]),
  complete: true,
  swept: false,
  why: "budget",
  counts: { ok: 2, vetoed: 0, invalid: 0, wrong: 1, timeout: 0, "out-of-memory": 0, lost: 0 },
  elapsedMs: 2500,
};

/** A run of two candidates, of which the first is wrong. */
export function eventsOf(more: Partial<TuneResult> = {}): readonly TuneEvent[] {
  const candidate = {
    type: "candidate",
    def: "scale",
    options,
    alternative: null,
    estimateUs: null,
    atMs: 10,
  } as const;
  return [
    {
      type: "start",
      def: "scale",
      sizes: { N: 4 },
      effort: "quick",
      budget: { candidates: 24, ms: 5000 },
      seed: 1,
      clock: { kind: "replay", quantumNs: 1 },
      adapter: "a fake device",
    },
    { ...candidate, i: 0, id: "a", from: { kind: "default" }, status: "ok", us: 41 },
    {
      ...candidate,
      ...{ i: 1, id: "b", from: { kind: "random" }, alternative: "other", estimateUs: 30 },
      ...{ status: "wrong", why: "C(0) is 3" },
    },
    {
      type: "progress",
      def: "scale",
      phase: "measure",
      tried: 12,
      of: 24,
      elapsedMs: 1,
      leftMs: 2400,
    },
    { type: "best", def: "scale", i: 2, us: 20.5, defaultUs: 41, options, atMs: 20 },
    {
      type: "progress",
      def: "scale",
      phase: "duel",
      tried: 24,
      of: 24,
      elapsedMs: 4800,
      leftMs: 0,
    },
    { type: "note", def: "scale", text: "the disk is full" },
    { type: "done", def: "scale", result: { ...result, ...more } },
  ];
}

const answer = {
  key: "def:abcdef",
  sizes: [4, 8],
  types: ["float32"],
  device: "google swiftshader",
  us: 20,
  defaultUs: 50,
  tried: 24,
  choices: options,
  generator: "1",
  at: 1,
};
/** What `held` was given to merge. */
export const merged: string[][] = [];
/** Two entries. */
export const held: Records = {
  path: "a.jsonl",
  fault: null,
  answers: [answer, { ...answer, key: "key:0123", us: null, defaultUs: null }],
  lines: ["{}", "{}"],
  merge: async (lines) => {
    merged.push([...lines]);
    return { added: 1, fault: null };
  },
  prune: async () => 3,
};
