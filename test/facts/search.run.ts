/** A search by facts for choices that keep the bounds which defaults break, written anew. See scripts/facts. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { programs } from "./entries.ts";
import { exceptions } from "./exceptions.ts";
import { type Found, search } from "./search.ts";

const path = "test/golden/facts/search.txt";

const draws = Number(process.env["FACTS_DRAWS"] ?? "40");

const only = process.env["FACTS_PROGRAMS"]?.split(",");

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** `PROGRAM, FAMILY, VETO: VALUE by default, ...`; what keeps the bound as fast as the default stands below. */
function linesOf(program: string, f: Found): readonly string[] {
  const told =
    f.ratio === null
      ? `${short(f.nearest)} at best`
      : `kept in ${short(f.ratio)} of the default's time`;
  return [
    `${program}, ${f.family}, ${f.veto}: ${short(f.byDefault)} by default for ${short(f.bound)}; of ${f.looked}: ${told}`,
    ...f.choices.map((choice) => `  ${choice}`),
  ];
}

/** The lines of the file by program, those that are searched now left out. */
function known(): Map<string, readonly string[]> {
  const lines = existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
  const found = new Map<string, string[]>();
  let own: string[] = [];
  for (const line of lines) {
    if (!line.startsWith(" ")) {
      const name = line.slice(0, line.lastIndexOf(", ", line.lastIndexOf(", ") - 1));
      own = found.get(name) ?? [];
      found.set(name, own);
    }
    own.push(line);
  }
  return found;
}

const named = new Set(exceptions.flatMap((one) => one.programs));

test("choices that keep bounds which defaults break", () => {
  const texts = only === undefined ? new Map<string, readonly string[]>() : known();
  const wanted = programs.filter(({ name }) => (only ?? [...named]).includes(name));
  for (const [n, program] of wanted.entries()) {
    const began = process.cpuUsage();
    const lines = search(program, draws).flatMap((found) => linesOf(program.name, found));
    const { user, system } = process.cpuUsage(began);
    const cpu = ((user + system) / 1e6).toFixed(1);
    console.log(`${n + 1} of ${wanted.length}, ${cpu} s\n${lines.join("\n")}`);
    texts.set(program.name, lines);
    const ordered = programs.flatMap(({ name }) => texts.get(name) ?? []);
    writeFileSync(path, `${ordered.join("\n")}\n`);
  }
  expect(wanted.length).toBeGreaterThan(0);
});
