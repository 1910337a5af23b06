/** Every line of JSON that the commands write is as docs/cli.md says, and every line there occurs. */
import { describe, expect, test } from "vitest";
import { openWorkplace } from "../docs/support/command.ts";
import { readDocument } from "../docs/support/markdown.ts";
import { execute, records, toolchain } from "./fakes.ts";
import { eventsOf, held } from "./tuning-fakes.ts";

interface Field {
  readonly name: string;
  readonly optional: boolean;
  readonly type: string;
}

type Documented = ReadonlyMap<string, readonly Field[]>;

/** The tables under the headings ### `type` of the section on lines of JSON. */
function documented(): Documented {
  const [, section = ""] =
    /^## Lines of JSON\n([\s\S]*?)^## /m.exec(readDocument("docs/cli.md")) ?? [];
  const parts = section.split(/^### /m).slice(1);
  return new Map(
    parts.map((part) => {
      const [, type = ""] = /^`(\w+)`/.exec(part) ?? [];
      const rows = [...part.matchAll(/^\| `(\w+)(\??)` \| ([\w[\]]+) \|/gm)];
      const fields = rows.map(([, name = "", mark, kind = ""]) => {
        return { name, optional: mark === "?", type: kind };
      });
      return [type, fields];
    }),
  );
}

const checks: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) =>
    typeof value === "number" || ["Infinity", "-Infinity", "NaN"].includes(String(value)),
  boolean: (value) => typeof value === "boolean",
  object: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  value: (value) => ["string", "number", "boolean"].includes(typeof value),
};

function isOf(type: string, value: unknown): boolean {
  if (!type.endsWith("[]")) return checks[type]?.(value) ?? false;
  const element = type.slice(0, -2);
  return Array.isArray(value) && value.every((one) => isOf(element, one));
}

type Line = Readonly<Record<string, unknown>>;

/** What is wrong with a line. */
function faults(known: Documented, line: Line): readonly string[] {
  const { schema, type, ...rest } = line;
  const fields = known.get(String(type));
  if (schema !== 1 || fields === undefined) return [`there is no ${type} of schema ${schema}`];
  const names = fields.map(({ name }) => name);
  return [
    ...Object.keys(rest)
      .filter((name) => !names.includes(name))
      .map((name) => `${type} has ${name}`),
    ...fields.flatMap(({ name, optional, type: kind }) => {
      if (!(name in rest)) return optional ? [] : [`${type} lacks ${name}`];
      return isOf(kind, rest[name]) ? [] : [`${type}.${name} is no ${kind}`];
    }),
  ];
}

const files: Readonly<Record<string, string>> = {
  "two.tc": "#! sizes N=3\n#! input x=ones\ndef f(float(N) x) -> (y) { y(i) = 2.0 * x(i) }\n",
  "odd.tc": "#! sizes N=3\ndef f(float(N) x) -> (y) { y(i) =   x(i) / 0.0 }\n",
  "made.tc":
    "#! sizes N=1\n#! input x=full(1e30)\ndef f(float(N) x) -> (y) { y(i) = x(i) * x(i) - x(i) * x(i) }\n",
  "wrong.tc": "#! sizes N=3\ndef f(float(N) x) -> (y) { y(i) = X(i) }\n",
  "clash.tc": "#! sizes N=3\ndef f(float(N) x, float(N) x) -> (y) { y(i) = x(i) }\n",
  "options.json": '{"version":2,"kernels":{"none":1}}',
};

const commands = [
  "two.tc --emit wgsl,js,dts,json,options -v --options options.json",
  "two.tc -o out",
  "two.tc --emit facts --profile mali",
  "two.tc --sise",
  "check two.tc odd.tc wrong.tc clash.tc gone.tc --validate",
  "check wrong.tc --fix",
  "check - --fix",
  "fmt odd.tc wrong.tc",
  "fmt -",
  "run two.tc --verify --out y=y.npy",
  "run odd.tc --adapter reference --in x=ones",
  "run two.tc --values 0",
  "run made.tc --find-nonfinite",
  "run two.tc --time --find-nonfinite",
  "run two.tc --adapter none-such",
  "explain",
  "explain TC2003",
  "info",
  "info --adapter none-such",
  "completions fish",
];

describe("lines of JSON", () => {
  const known = documented();
  const seen = new Map<string, Set<string>>();

  const look = (command: string, lines: readonly Line[]): void => {
    for (const line of lines) {
      expect([command, ...faults(known, line)]).toEqual([command]);
      const names = seen.get(String(line["type"])) ?? new Set();
      for (const name of Object.keys(line)) names.add(name);
      seen.set(String(line["type"]), names);
    }
    expect(lines.filter(({ type }) => type === "summary")).toHaveLength(1);
    expect(lines.at(-1)?.["type"]).toBe("summary");
  };

  test.each(commands)("of %s", async (command) => {
    const place = openWorkplace();
    for (const [name, text] of Object.entries(files)) place.written.set(name, text);
    const stdin = files["wrong.tc"] ?? "";
    const { stdout, stderr, exit } = await place.run([...command.split(" "), "--json"], stdin);
    expect(stderr).toBe("");
    const lines = records(stdout);
    look(command, lines);
    expect(lines.at(-1)).toMatchObject({ exit });
  });

  test("of bugs", async () => {
    const tools = toolchain({ fault: "no" });
    const { out } = await execute("check a.tc --validate --json", { "a.tc": "def f" }, tools);
    look("check --validate", records(out));
  });

  test("of tuning, its memory, and times in turns", async () => {
    const tools = toolchain({ events: eventsOf({ alternative: "other" }), records: held });
    for (const command of ["tune a.tc", "bench a.tc", "db ls"]) {
      const text = "def scale\n#! input A=arange\n#! input s=2";
      const { out } = await execute(`${command} --json`, { "a.tc": text }, tools);
      look(command, records(out));
    }
  });

  test("of a check that is wrong or undecidable", async () => {
    for (const [behaviour, exit] of [[{ wrong: 1 }, 4] as const, [{ close: 4 }, 6] as const]) {
      const tools = toolchain(behaviour);
      const source = "def scale\n#! input A=arange\n#! input s=2";
      const { out, code } = await execute("run a.tc --verify --json", { "a.tc": source }, tools);
      expect(code).toBe(exit);
      look("run --verify", records(out));
    }
  });

  test("of a run that is timed", async () => {
    const source = "def scale\n#! input A=arange\n#! input s=2";
    const { out } = await execute("run a.tc --time --json", { "a.tc": source });
    look("run --time", records(out));
  });

  test("of play", async () => {
    const { out } = await execute("play a.tc --json", { "a.tc": "def f" });
    look("play", records(out));
  });

  test("are all those of the document, field by field", () => {
    const missing = [...known].flatMap(([type, fields]) =>
      fields.filter(({ name }) => !seen.get(type)?.has(name)).map(({ name }) => `${type}.${name}`),
    );
    expect(missing).toEqual([]);
    expect(known.size).toBe(18);
  });
});
