/** The benchmark's command line: what it chooses, and that mistakes are named. */
import { describe, expect, it } from "vitest";
import { cases } from "../../bench/cases/cases.js";
import { FlagError, help, ownNames, peerNames, readFlags } from "../../bench/flags.js";

const namesOf = (...args: string[]): string[] => readFlags(args).cases.map((c) => c.name);

describe("flags", () => {
  it("choose everything by default", () => {
    const flags = readFlags([]);
    expect(flags).toMatchObject({ mode: "run", adapter: "auto", rounds: 7, json: false });
    expect(flags.cases).toHaveLength(cases.length);
    expect(flags.figures).toBe(true);
    expect(flags.who).toEqual([...ownNames, ...peerNames]);
  });

  it("choose cases by parts of names and by group", () => {
    expect(namesOf("--group", "cases", "--case", "matmul 51,sum 2^")).toEqual([
      "matmul 512",
      "sum 2^22",
    ]);
    expect(namesOf("--group", "recurrent")).toHaveLength(9);
    expect(readFlags(["--group", "recurrent"]).figures).toBe(false);
    expect(readFlags(["--group", "figures"])).toMatchObject({ figures: true, cases: [] });
  });

  it("choose contestants in the order of the tables", () => {
    expect(readFlags(["--who", "naive,default", "--peers", "none"]).who).toEqual([
      "default",
      "naive",
    ]);
    expect(readFlags(["--who", "fuse none", "--peers", "tfjs,jax-js"]).who).toEqual([
      "fuse none",
      "jax-js",
      "tfjs",
    ]);
  });

  it("choose the mode", () => {
    expect(readFlags(["-h"]).mode).toBe("help");
    expect(readFlags(["--tune", "quick", "--budget", "20", "--seed", "3"])).toMatchObject({
      mode: "tune",
      effort: "quick",
      budgetMs: 20_000,
      seed: 3,
    });
    expect(readFlags(["--report", "a.jsonl", "b.jsonl,c.jsonl"])).toMatchObject({
      mode: "report",
      files: ["a.jsonl", "b.jsonl", "c.jsonl"],
    });
  });

  it("are all in the help", () => {
    for (const flag of ["case", "group", "who", "peers", "adapter", "rounds", "json", "html"]) {
      expect(help).toContain(`--${flag} `);
    }
  });

  it.each([
    [["--case", "matmul 512,nothing such"], /--case: no name contains "nothing such"; there are /],
    [["--who", "jax-js"], /--who knows no "jax-js"; there are default, tuned/],
    [["--who", "default,tfjs"], /; tfjs is one of --peers$/],
    [["--peers", "naive"], /--peers knows no "naive"; .*; naive is one of --who$/],
    [["--html", "nowhere/a.html"], /^--html: there is no folder nowhere$/],
    [["--markdown", "nowhere/a.md"], /^--markdown: there is no folder nowhere$/],
    [["--peers", "torch"], /--peers knows no "torch"; there are jax-js/],
    [["--group", "all"], /--group knows no "all"/],
    [["--rounds", "0"], /--rounds wants a whole number from 1 on, not "0"/],
    [["--tune", "much"], /--tune is one of refine, quick, normal, full, not "much"/],
    [["--tune", "quick", "--budget", "0"], /--budget wants a whole number from 1 on, not "0"/],
    [["--budget", "20"], /--budget belongs to --tune/],
    [["--seed", "1.5"], /--seed wants a whole number/],
    [["--wat"], /--wat/],
    [["matmul"], /"matmul" belongs to no flag/],
    [["--report", "a", "--tune", "quick"], /--report measures nothing, --tune does/],
  ])("%j are refused by name", (args, message) => {
    expect(() => readFlags(args)).toThrow(FlagError);
    expect(() => readFlags(args)).toThrow(message);
  });
});
