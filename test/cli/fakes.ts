/** A world without files, and a compiler that knows one definition: C(i) = s * A(i). */
import type {
  Choice,
  CompileRequest,
  CompileResult,
  Diagnostic,
  HostTensors,
  KnownOptions,
  Plan,
  Records,
  RunTimes,
  Toolchain,
  TuneEvent,
  TuneRequest,
} from "../../src/cli/api.ts";
import { dispatch } from "../../src/cli/dispatch.ts";
import type { SignalExit } from "../../src/cli/failure.ts";
import type { Io } from "../../src/cli/io.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";

export interface World {
  readonly io: Io;
  readonly files: Map<string, string | Uint8Array>;
  out: string;
  err: string;
  /** Ctrl-C. */
  interrupt: (exit: SignalExit) => void;
}

export function world(
  files: Readonly<Record<string, string | Uint8Array>> = {},
  env: Readonly<Record<string, string>> = {},
): World {
  const held = new Map(Object.entries(files));
  let clock = 0;
  const made: World = {
    files: held,
    out: "",
    err: "",
    interrupt: () => undefined,
    io: {
      stdout: { isTerminal: false, write: (text) => (made.out += text) },
      stderr: { isTerminal: false, write: (text) => (made.err += text) },
      env,
      readFile: async (path) => {
        const content = held.get(path);
        if (content === undefined) throw Object.assign(new Error("gone"), { code: "ENOENT" });
        return typeof content === "string" ? new TextEncoder().encode(content) : content;
      },
      writeFile: async (path, content) => {
        held.set(path, content);
      },
      kindOf: async (path) => {
        if (held.has(path)) return "file";
        const inside = [...held.keys()].some((name) => name.startsWith(`${path}/`));
        return inside ? "folder" : "nothing";
      },
      readStdin: async () => new TextEncoder().encode("from stdin"),
      now: () => clock++,
      onInterrupt: (act) => {
        made.interrupt = act;
        return () => {
          made.interrupt = () => undefined;
        };
      },
    },
  };
  return made;
}

function findings(source: string): readonly Diagnostic[] {
  return [...source.matchAll(/(error|warning|syntax): (.*)/g)].map((match) => ({
    severity: match[1] === "warning" ? "warning" : "error",
    code: match[1] === "syntax" ? "TC1001" : "TC2001",
    message: match[2] ?? "",
    span: { start: match.index },
  }));
}

function compile(source: string, request: CompileRequest): CompileResult {
  const diagnostics = findings(source);
  request.onStage?.("ast", () => "the ast");
  if (diagnostics.some((d) => d.severity === "error")) return { ok: false, diagnostics };
  const N = request.sizes["N"] ?? request.shapes?.["A"]?.[0] ?? 4;
  const plan: Plan = {
    name: request.def ?? "scale",
    buffers: [
      { name: "A", role: "input", type: "float32", shape: [N] },
      { name: "s", role: "input", type: "float32", shape: [] },
      { name: "C", role: "output", type: "float32", shape: [N] },
    ],
    kernels: [{ wgsl: `// ${request.profile?.name ?? "baseline"}\nfn main() {}\n` }],
  };
  const given = request.options as { kernels?: Readonly<Record<string, Choice>> } | undefined;
  const choices = given?.kernels ?? {};
  const asked = choices["width"] ?? 2;
  const legal = [1, 2, 4].some((value) => value === asked);
  const width = { path: "kernels/width", values: [1, 2, 4], value: legal ? asked : 2 };
  return {
    ok: true,
    plan,
    sizes: { N },
    diagnostics,
    decisions: [width],
    repairs: legal ? [] : [{ path: width.path, asked, used: 2 }],
    unusedChoices: Object.keys(choices)
      .map((name) => `kernels/${name}`)
      .filter((path) => path !== width.path),
  };
}

function scaled(inputs: HostTensors): HostTensors {
  const [A, s] = [inputs["A"], inputs["s"]];
  if (A === undefined || s === undefined) throw new Error("inputs are missing");
  return { C: { data: A.data.map((v) => v * (s.data[0] ?? 0)), shape: A.shape } };
}

/** What the device and the reference of the fake do. */
interface Behaviour {
  /** Added to every element that the device computes. */
  readonly wrong?: number;
  /** So many of the compared elements are ambiguous; more than one are too many. */
  readonly close?: number;
  /** So many were judged by samples, and are said not to be finite. */
  readonly sampled?: number;
  /** What Dawn has against every plan. */
  readonly fault?: string;
  /** What a tuning run tells. */
  readonly events?: readonly TuneEvent[];
  readonly onRequest?: (request: TuneRequest) => void;
  /** Options that are remembered, the best first; none by default. */
  readonly known?: KnownOptions | readonly KnownOptions[];
  /** Why a plan that is run does not run; null where it does. */
  readonly runFault?: (plan: Plan) => Error | null;
  /** Of the records that are asked. */
  readonly notes?: readonly string[];
  /** Microseconds of the plans that are timed in turns. */
  readonly us?: readonly number[];
  readonly records?: Records;
}

export function toolchain(behaviour: Behaviour = {}): Toolchain {
  const { wrong = 0, close = 0, sampled = 0, fault } = behaviour;
  const text = (found: readonly Diagnostic[], file: string): string =>
    found.map((d) => `${file}:1:1: ${d.severity}: ${d.message}\n`).join("");
  return {
    version: "1.2.3",
    outline: (source) => ({
      definitions: [...source.matchAll(/def (\w+)(?: calls (\w+))?/g)].map(([, name, call]) => ({
        name: name ?? "",
        calls: call === undefined ? [] : [call],
        sizes: ["N"],
        parameters: [],
        alternativeOf: null,
      })),
      inputs: Object.fromEntries(
        [...source.matchAll(/#! input (\w+)=(\S+)/g)].map(([, name, value]) => [name, value ?? ""]),
      ),
    }),
    check: findings,
    facts: (_plan, profile) => ({
      text: `facts for ${profile?.name ?? "baseline"}\n`,
      records: [{ schema: 1, kernel: "k" }],
    }),
    compile,
    interpret: (_source, inputs) => scaled(inputs),
    verify: (_source, inputs, outputs, _request, { budgetMs, atol }) => {
      const [expected, found] = [scaled(inputs)["C"], outputs["C"]];
      const total = expected?.data.length ?? 0;
      const compared = Math.min(total, budgetMs);
      const far = (v: number, i: number): boolean =>
        i < compared && Math.abs(v - (expected?.data[i] ?? 0)) > (atol ?? 0);
      const bad = found?.data.findIndex(far) ?? -1;
      const element = {
        tensor: "C",
        index: [bad],
        found: found?.data[bad] ?? 0,
        expected: expected?.data[bad] ?? 0,
        allowed: 1e-6,
      };
      const doubt = close > 1 || compared === 0 ? "undecided" : "right";
      const counts = {
        decision: bad < 0 ? doubt : "wrong",
        compared: compared - close,
        total,
        ambiguous: close,
        worst: bad < 0 ? 0.25 : 9,
      } as const;
      const output = {
        ...counts,
        name: "C",
        sampled: Math.min(compared - close, sampled),
        notFinite: sampled,
        notFiniteAlike: Math.ceil(sampled / 2),
        allowed: 4e-6,
        measured: 1.04e-6,
        scale: 3.74,
      };
      return { ...counts, wrong: bad < 0 ? [] : [element], outputs: [output] };
    },
    findNonfinite: () => ({
      inputs: [],
      outputs: [],
      infinity: null,
      nan: null,
      searched: "program",
    }),
    explanations: async () => [
      { code: "TC2001", title: "unknown name", text: "Nothing has this name.\n" },
      { code: "TC2002", title: "no size", text: "No size.\n" },
    ],
    emit: (plans, form) =>
      `// ${[form, ...("name" in plans ? [] : plans.map((p) => p.profile))].join(" ")}`,
    emitData: (plan) => JSON.stringify(plan),
    format: (source) => `${source.trim()}\n`,
    // A "fixable" error is one whose text ends with an exclamation mark.
    fix: (source, found) => {
      const applied = found.filter(({ message }) => message.endsWith("!"));
      const first = applied.slice(0, 1);
      const lines = first.map(({ message }) => new RegExp(`(error|warning): ${message}\\n?`));
      return {
        source: lines.reduce((text, line) => text.replace(line, ""), source),
        applied: first,
      };
    },
    render: (found, { file, format }) =>
      format === "github"
        ? found.map((d) => `::${d.severity} ::${d.message}\n`).join("")
        : text(found, file),
    records: (found, { file }) =>
      found.map(({ severity, code, message }) => ({ severity, code, message, file })),
    tuningReport: async (events, environment) => ({
      data: { events: events.length, ...environment },
      page: "<!doctype html>",
    }),
    lockedOptions: async (lock) => JSON.parse(lock),
    lockText: async (before, result) =>
      before === "bad" ? { fault: "it is bad" } : JSON.stringify({ before, ...result.options }),
    openRecords: async (path) => {
      if (behaviour.records === undefined) throw new Error(`${path} cannot be read: you may not`);
      return behaviour.records;
    },
    serve: async ({ onStart }) => onStart("http://localhost:1/"),
    openValidator: async () => ({
      validate: async () => fault ?? null,
      dispose: () => undefined,
    }),
    openRuntime: async ({ adapter }) => {
      if (adapter === "none") {
        throw Object.assign(new Error("no usable WebGPU adapter"), { kind: "no-adapter" });
      }
      return {
        adapterText: "a fake device",
        profile: { ...baselineProfile, name: "fake" },
        run: async (plan, inputs) => {
          const refusal = behaviour.runFault?.(plan) ?? null;
          if (refusal !== null) throw refusal;
          const { C } = scaled(inputs);
          return C === undefined ? {} : { C: { ...C, data: C.data.map((v) => v + wrong) } };
        },
        time: async () => times,
        timeInTurns: async (plans) =>
          plans.map((_, n) => ({ ...times.whole, us: behaviour.us?.[n] ?? 1000 })),
        tuned: async (_source, _request, _db, refused = []) => {
          const isRefused = (one: KnownOptions): boolean =>
            refused.some((r) => JSON.stringify(r) === JSON.stringify(one));
          const known = [behaviour.known ?? []].flat().find((one) => !isRefused(one)) ?? null;
          return { known, notes: behaviour.notes ?? [] };
        },
        reuse: async () => null,
        tune: async function* (_source, request) {
          behaviour.onRequest?.(request);
          yield* behaviour.events ?? [];
        },
        dispose: () => undefined,
      };
    },
  };
}

/** Two kernels, of which the second was timed alone, and adapters that do 10 GB/s and 20 GFLOP/s. */
const times: RunTimes = {
  pipelinesMs: 12.345,
  firstMs: 8,
  whole: { us: 1000, mad: 20, n: 11, clock: "timestamp-query", quantumNs: 65536 },
  kernels: [
    {
      kernel: "scale_0",
      us: 750,
      mad: 10,
      n: 10,
      dispatches: 3,
      measured: "in-order",
      work: { bytes: 3_000_000, operations: 7_500_000 },
    },
    { kernel: "zero fill", us: 0.5, mad: 0, n: 10, dispatches: 1, measured: "alone", work: null },
  ],
  ceilings: { gflops: 20, gigabytes: 10 },
  trace: (compileMs) => ({ traceEvents: [{ name: "compile", dur: 1000 * compileMs }] }),
};

/** What a command line does in a world. */
export async function execute(
  args: string,
  files: Readonly<Record<string, string | Uint8Array>> = {},
  tools: Toolchain = toolchain(),
  made: World = world(files),
): Promise<{ code: number; out: string; err: string; files: World["files"] }> {
  const code = await dispatch(args === "" ? [] : args.split(" "), made.io, tools);
  return { code, out: made.out, err: made.err, files: made.files };
}

/** The lines of JSON of an output. */
export function records(out: string): readonly Readonly<Record<string, unknown>>[] {
  return out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}
