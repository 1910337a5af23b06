import { expect, test } from "vitest";
import { seededRandom } from "../../../src/support/random.ts";
import { mutationCorpus } from "./corpus.ts";
import { mutateSource } from "./mutate-source.ts";
import { sourceFaults } from "./source-faults.ts";

const corpus = mutationCorpus();

test("the programs themselves have no faults", () => {
  expect(corpus.length).toBeGreaterThan(200);
  expect(corpus.flatMap((source) => sourceFaults(source).map((f) => `${f}\n${source}`))).toEqual(
    [],
  );
});

test("no mutation of them makes the compiler throw, hang or talk nonsense", () => {
  const faults: string[] = [];
  for (let seed = 0; seed < 2500; seed++) {
    const source = mutateSource(corpus, seededRandom(seed));
    for (const fault of sourceFaults(source)) faults.push(`seed ${seed}: ${fault}\n${source}`);
  }
  expect(faults).toEqual([]);
}, 120_000);
