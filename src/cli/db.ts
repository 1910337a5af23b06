import type { RecordedAnswer, Records } from "./api.ts";
import type { Context } from "./context.ts";
import { type ExitKind, failed, type Outcome, success } from "./failure.ts";
import { type DbAction, dbActions } from "./flags.ts";
import { readBytes, writeBytes } from "./read-files.ts";
import { plural } from "./reporter.ts";
import { duration, figure } from "./tell-times.ts";
import { known } from "./tell-tuning.ts";

/** `tc-compile db ACTION`: sees and moves what tuning remembers. */
export async function db(context: Context): Promise<Outcome<ExitKind>> {
  const { line, report, tools } = context;
  const [word, ...others] = line.files;
  const action = dbActions.find((one) => one === word);
  if (action === undefined) {
    const message = word === undefined ? "db does nothing by itself" : `db cannot ${word}`;
    return failed(message, `write tc-compile db ${dbActions.join(", ")}`);
  }
  const misused = misuse(action, others);
  if (misused !== null) return misused;
  let records: Records;
  try {
    records = await tools.openRecords(line.db);
  } catch (error) {
    return unusable(error);
  }
  if (records.fault !== null) {
    report.warning("options", records.fault, "tc-compile db prune drops what cannot be read");
  }
  try {
    return await act(context, action, others, records);
  } catch (error) {
    return unusable(error);
  }
}

/** What stores reject with says what to do. */
function unusable(error: unknown): ReturnType<typeof failed> {
  const message = error instanceof Error ? error.message : String(error);
  return failed(message, "name another file with --db");
}

function misuse(action: DbAction, others: readonly string[]): ReturnType<typeof failed> | null {
  const files = action === "merge" || action === "import" || action === "export";
  if (files && others.length === 0) {
    return failed(`db ${action} needs a file`, `write tc-compile db ${action} other.jsonl`);
  }
  const most = { ls: 0, prune: 0, show: 1, export: 1, import: 1, merge: Infinity }[action];
  if (others.length <= most) return null;
  const next = most === 0 ? `write tc-compile db ${action}` : "give one";
  return failed(`db ${action} does not take ${others.slice(most).join(" ")}`, next);
}

async function act(
  context: Context,
  action: DbAction,
  others: readonly string[],
  records: Records,
): Promise<Outcome<ExitKind>> {
  const { io, report } = context;
  const { path } = records;
  switch (action) {
    case "ls":
      list(context, records.answers);
      report.note(
        `${plural(records.answers.length, "entry").replace("entrys", "entries")} in ${path}`,
      );
      return success("fine");
    case "show":
      return show(context, records.answers, others[0] ?? "");
    case "export": {
      const target = others[0] ?? "";
      const done = await writeBytes(io, target, records.lines.map((line) => `${line}\n`).join(""));
      if (done.ok) report.note(`wrote ${plural(records.lines.length, "record")} to ${target}`);
      return done.ok ? success("fine") : done;
    }
    case "merge":
    case "import":
      return await merge(context, others, records);
    case "prune": {
      const dropped = await records.prune();
      report.note(`dropped ${plural(dropped, "line")} of ${path}`);
      return success("fine");
    }
  }
}

async function merge(
  { io, report }: Context,
  paths: readonly string[],
  records: Records,
): Promise<Outcome<ExitKind>> {
  const lines: string[] = [];
  for (const path of paths) {
    const read = await readBytes(io, path);
    if (!read.ok) return read;
    lines.push(...new TextDecoder().decode(read.value).split("\n"));
  }
  const { added, fault } = await records.merge(lines);
  if (fault !== null) report.warning("options", fault, "check the files");
  report.note(`took ${plural(added, "new record")} into ${records.path}`);
  return success("fine");
}

/** One line for each answer. */
function list({ report }: Context, answers: readonly RecordedAnswer[]): void {
  for (const answer of answers) {
    const { key, sizes, device, us, defaultUs, tried } = answer;
    const time = us === null ? "nothing ran" : duration(us);
    const gain = us === null || defaultUs === null ? "" : ` (${figure(defaultUs / us)}x)`;
    const words = [key, sizes.join("x"), `${time}${gain}`, `${tried} tried`, device];
    report.data(`${words.join("  ")}\n`);
    record(report, answer);
  }
}

function record(report: Context["report"], { choices, ...rest }: RecordedAnswer): void {
  report.record("entry", known({ ...rest, options: choices }));
}

/** The choices of the answers whose key begins so, with or without what stands before the colon. */
function show(
  { report }: Context,
  answers: readonly RecordedAnswer[],
  name: string,
): Outcome<ExitKind> {
  const found = answers.filter(
    ({ key }) => key.startsWith(name) || key.slice(key.indexOf(":") + 1).startsWith(name),
  );
  if (found.length === 0) {
    const what =
      name === "" ? "there is nothing" : `there is nothing whose key begins with ${name}`;
    return failed(what, "tc-compile db ls lists the keys; tc-compile tune makes more");
  }
  for (const answer of found) {
    const { key, sizes, types, device, choices, generator } = answer;
    const head = `${key}  ${sizes.join("x")}  ${types.join(" ")}  ${device}, generator ${generator}`;
    report.data(`${head}\n${JSON.stringify(choices, null, 2)}\n`);
    record(report, answer);
  }
  return success("fine");
}
