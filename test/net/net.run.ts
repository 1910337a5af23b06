/** All of the net: compared, or with `NET_UPDATE` written anew. See scripts/net. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generatorVersion as generator } from "../../src/codegen/generator.ts";
import {
  type Entry,
  entryOf,
  type Net,
  netFaults,
  printNet,
  readNet,
  sources,
  ways,
} from "./entries.ts";

const folder = "test/golden/net";
const most = Number(process.env["NET_WAYS"] ?? ways.length);

function recorded(path: string): Net {
  return existsSync(path) ? readNet(readFileSync(path, "utf8")) : { generator, entries: [] };
}

test.each(Object.entries(sources))("the net of %s", (group, programs) => {
  const path = `${folder}/${group}.txt`;
  const before = recorded(path);
  const found: readonly Entry[] = programs.flatMap((source) =>
    ways.slice(0, most).map(([profile, way]) => entryOf(source, profile, way)),
  );
  const faults = netFaults(before, found, generator);
  if (process.env["NET_UPDATE"] === undefined) {
    expect(faults.map((fault) => fault.text)).toEqual([]);
    return;
  }
  expect(faults.filter((fault) => fault.raise).map((fault) => fault.text)).toEqual([]);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, printNet(generator, found));
});
