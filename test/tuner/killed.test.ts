/** A process that tunes is ended at any moment: what was finished is kept, what was in flight is skipped. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { jsonlStore } from "../../src/runtime/node/jsonl-store.ts";
import { llvmpipeProfile } from "../../src/support/device-profile.ts";
import { seededRandom } from "../../src/support/random.ts";
import { knowledgeOf } from "../../src/tuner/answer.ts";
import { type Database, databaseOf } from "../../src/tuner/database.ts";
import { buildPackage } from "../support/built-package.ts";
import { device } from "./support/records.ts";

const child = fileURLToPath(new URL("support/tuned-child.js", import.meta.url));
const source = `def two(float(N, N) A, float(N, N) B) -> (C, D) {
  C(m, n) +=! A(m, k) * B(k, n)
  D(m, n) +=! C(m, k) * B(n, k)
}`;
const task = { source, def: "two", sizes: { N: 64 } };

/** scripts/kill-tuning kills it 50 times. */
const { TC_KILLS: kills = "5" } = process.env;

const folder = mkdtempSync(join(tmpdir(), "killed-"));
const path = join(folder, "db.jsonl");

/** Tunes until so many milliseconds after the first launch; ids by what was said of them. */
async function killed(seed: number, ms: number): Promise<ReadonlyMap<string, readonly string[]>> {
  const given = JSON.stringify({ path, task, profile: llvmpipeProfile, device, seed });
  const process_ = spawn(process.execPath, [child, given], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  process_.stdout.setEncoding("utf8").on("data", (text: string) => {
    if (said === "") setTimeout(() => process_.kill("SIGKILL"), ms);
    said += text;
  });
  await once(process_, "close");
  const words = said.split("\n").map((line) => line.split(" "));
  const idsOf = (what: string): readonly string[] =>
    words.flatMap(([first, id]) => (first === what && id !== undefined ? [id] : []));
  return new Map(["trying", "done"].map((what) => [what, idsOf(what)]));
}

async function known(): Promise<Database> {
  return databaseOf(await jsonlStore(path).read());
}

beforeAll(buildPackage, 300_000);

afterAll(() => rmSync(folder, { recursive: true }));

it(`loses nothing that was finished when it is killed at ${kills} random moments`, async () => {
  const random = seededRandom(17);
  const finished = new Set<string>();
  for (let n = 0; n < Number(kills); n++) {
    const before = knowledgeOf(await known(), device, "g").skip;
    const said = await killed(n + 1, 400 * random.next());
    const database = await known();
    for (const { kind } of database.faults) expect(kind).toBe("torn");
    expect(database.faults.length).toBeLessThanOrEqual(n + 1);
    for (const id of said.get("done") ?? []) finished.add(id);
    const kept = knowledgeOf(database, device, "g");
    for (const id of finished) expect(kept.known.has(id)).toBe(true);
    const crashed = [...kept.skip].filter((id) => !before.has(id));
    // The one in flight, and its one kernel.
    expect(crashed.length).toBeLessThanOrEqual(2);
    for (const id of said.get("trying") ?? []) expect(before.has(id)).toBe(false);
  }
  expect(finished.size).toBeGreaterThan(0);
}, 300_000);
