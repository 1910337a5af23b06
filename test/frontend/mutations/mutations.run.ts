/** As many broken programs as one likes; see scripts/fuzz-sources. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { seededRandom } from "../../../src/support/random.ts";
import { mutationCorpus } from "./corpus.ts";
import { mutateSource } from "./mutate-source.ts";
import { shrinkSource } from "./shrink-source.ts";
import { sourceFaults } from "./source-faults.ts";

const count = Number(process.env["FUZZ_COUNT"] ?? 10_000);
const firstSeed = Number(process.env["FUZZ_SEED"] ?? 100_000);
const folder = process.env["FUZZ_OUT"] ?? "fuzz-failures";

/** What kind of fault it is: without numbers, and of an exception the first lines. */
function kindOf(fault: string): string {
  return fault.split("\n").slice(0, 2).join(" ").replace(/\d+/g, "#").slice(0, 120);
}

test(`${count} broken programs from seed ${firstSeed}`, () => {
  const corpus = mutationCorpus();
  const found = new Map<string, number>();
  for (let n = 0; n < count; n++) {
    const source = mutateSource(corpus, seededRandom(firstSeed + n));
    for (const fault of sourceFaults(source)) {
      const kind = kindOf(fault);
      found.set(kind, (found.get(kind) ?? 0) + 1);
      if (found.get(kind) !== 1) continue;
      const small = shrinkSource(source, (text) =>
        sourceFaults(text).some((f) => kindOf(f) === kind),
      );
      process.stderr.write(`seed ${firstSeed + n}: ${fault}\n${small}\n`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `source-${firstSeed + n}.tc`), small);
    }
    if ((n + 1) % 5000 === 0) process.stderr.write(`${n + 1} of ${count}, ${found.size} kinds\n`);
  }
  expect([...found]).toEqual([]);
});
