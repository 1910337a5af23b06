/** A world without files, and a compiler that knows one definition: C(i) = s * A(i). */
import type {
  CompileRequest,
  CompileResult,
  Diagnostic,
  HostTensors,
  Plan,
  Toolchain,
} from "../../src/cli/api.ts";
import { dispatch } from "../../src/cli/dispatch.ts";
import type { Io } from "../../src/cli/io.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";

export interface World {
  readonly io: Io;
  readonly files: Map<string, string | Uint8Array>;
  out: string;
  err: string;
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
      readStdin: async () => new TextEncoder().encode("from stdin"),
      now: () => clock++,
    },
  };
  return made;
}

export interface Finding extends Diagnostic {
  readonly message: string;
}

function findings(source: string): readonly Finding[] {
  return [...source.matchAll(/(error|warning): (.*)/g)].map(([, severity, message]) => ({
    severity: severity as Finding["severity"],
    message: message ?? "",
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
  return { ok: true, plan, sizes: { N }, diagnostics };
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
  /** So many of the compared elements are ambiguous. */
  readonly close?: number;
}

export function toolchain({ wrong = 0, close = 0 }: Behaviour = {}): Toolchain {
  const text = (found: readonly Diagnostic[], file: string): string =>
    (found as readonly Finding[]).map((d) => `${file}:1:1: ${d.severity}: ${d.message}\n`).join("");
  return {
    version: "1.2.3",
    outline: (source) => ({
      definitions: [...source.matchAll(/def (\w+)(?: calls (\w+))?/g)].map(([, name, call]) => ({
        name: name ?? "",
        calls: call === undefined ? [] : [call],
      })),
      inputs: Object.fromEntries(
        [...source.matchAll(/#! input (\w+)=(\S+)/g)].map(([, name, value]) => [name, value ?? ""]),
      ),
    }),
    check: findings,
    compile,
    interpret: (_source, inputs) => scaled(inputs),
    verify: (_source, inputs, outputs, _request, budgetMs) => {
      const [expected, found] = [scaled(inputs)["C"], outputs["C"]];
      const total = expected?.data.length ?? 0;
      const compared = Math.min(total, budgetMs);
      const bad = found?.data.findIndex((v, i) => i < compared && v !== expected?.data[i]) ?? -1;
      const element = {
        tensor: "C",
        index: [bad],
        found: found?.data[bad] ?? 0,
        expected: expected?.data[bad] ?? 0,
        allowed: 1e-6,
      };
      return {
        compared: compared - close,
        total,
        ambiguous: close,
        worst: bad < 0 ? 0.25 : 9,
        wrong: bad < 0 ? [] : [element],
      };
    },
    render: (found, { file }) => text(found, file),
    record: (diagnostic, { file }) => ({
      severity: diagnostic.severity,
      code: "TC1",
      message: (diagnostic as Finding).message,
      file,
      line: 1,
      column: 1,
    }),
    openRuntime: async ({ adapter }) => {
      if (adapter === "none") {
        throw Object.assign(new Error("no usable WebGPU adapter"), { kind: "no-adapter" });
      }
      return {
        adapterText: "a fake device",
        profile: { ...baselineProfile, name: "fake" },
        run: async (_plan, inputs) => {
          const { C } = scaled(inputs);
          return C === undefined ? {} : { C: { ...C, data: C.data.map((v) => v + wrong) } };
        },
        dispose: () => undefined,
      };
    },
  };
}

/** What a command line does in a world. */
export async function execute(
  args: string,
  files: Readonly<Record<string, string | Uint8Array>> = {},
  tools: Toolchain = toolchain(),
): Promise<{ code: number; out: string; err: string; files: World["files"] }> {
  const made = world(files);
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
