/** Where tuning remembers what nobody named a file for. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { userStorePath } from "../../../src/runtime/node/user-store.ts";

const place = mkdtempSync(join(tmpdir(), "tc-user-store-"));

afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(place, { recursive: true }));

test("is in the folder for data that the environment names, of the user alone", async () => {
  vi.stubEnv("XDG_DATA_HOME", join(place, "data"));
  const path = await userStorePath();
  expect(path).toBe(join(place, "data", "tc-wgsl", "tuned.jsonl"));
  expect(statSync(dirname(path)).mode & 0o077).toBe(0);
});

test("is in the home of the user, not among temporary files", async () => {
  vi.stubEnv("XDG_DATA_HOME", "");
  for (const name of ["HOME", "LOCALAPPDATA"]) vi.stubEnv(name, place);
  const path = await userStorePath();
  expect(path.startsWith(place)).toBe(true);
  expect(path.endsWith(join("tc-wgsl", "tuned.jsonl"))).toBe(true);
});

test("is in the folder for caches where there can be none for data", async () => {
  writeFileSync(join(place, "file"), "");
  vi.stubEnv("XDG_DATA_HOME", join(place, "file"));
  vi.stubEnv("XDG_CACHE_HOME", join(place, "cache"));
  expect(await userStorePath()).toBe(join(place, "cache", "tc-wgsl", "tuned.jsonl"));
});
