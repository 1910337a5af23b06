/** Blocks of kernel statements under construction. */
import { flatMap } from "../../support/flat-map.ts";
import { variableOf } from "../build.ts";
import type { KernelExpression, KernelStatement } from "../kernel.ts";
import { addParts, type OriginPart } from "../origin.ts";
import { eachKernelExpression, expressionKey } from "../walk-kernel.ts";

/** Names that are unique in one kernel. */
export interface NameSource {
  /** A fresh name that starts with `hint`. */
  fresh(hint: string): string;
}

/** A source of names that differ from each other and from `reserved`. */
export function nameSource(reserved: ReadonlySet<string>): NameSource {
  const given = new Set<string>();
  const isUsed = (name: string): boolean => given.has(name) || reserved.has(name);
  /** By hint: below this all numbers are taken. */
  const numbers = new Map<string, number>();
  return {
    fresh: (hint) => {
      let name = hint;
      if (isUsed(name)) {
        let n = numbers.get(hint) ?? 1;
        while (isUsed(`${hint}_${n}`)) n++;
        numbers.set(hint, n + 1);
        name = `${hint}_${n}`;
      }
      given.add(name);
      return name;
    },
  };
}

/**
 * A block that is being filled. Values that were computed in it, or in a block around it, are found
 * again by a key, so that unrolled copies share their loads.
 */
export interface Block {
  readonly statements: KernelStatement[];
  readonly names: NameSource;
  emit(statement: KernelStatement): void;
  /**
   * Names a value; the same key gives the same name as long as this block is open. Where that is the
   * name of a load, which has `origin` then, what it comes from is added to it.
   */
  share(
    key: string,
    hint: string,
    value: () => KernelExpression,
    origin?: OriginPart[],
  ): KernelExpression;
  /**
   * Names what the lanes of a subgroup give each other. It goes to the block around all conditions,
   * where every invocation comes, and is not looked up beyond that: a loop may change it.
   */
  exchange(key: string, hint: string, exchange: () => ExchangedValue): KernelExpression;
  /**
   * Adds to what a condition guards, which nothing in it can change. Neighbours under one condition are
   * one `if`, and share what they load; exchanges between them come first, so that one does not join
   * where the other stores into what it exchanges, one of the arrays `exchanged`.
   */
  guard(
    condition: KernelExpression,
    exchanged: ReadonlySet<string>,
    fill: (inner: Block) => void,
  ): void;
  /**
   * An empty block inside this one: the body of a loop, what a condition guards, or a branch that a
   * workgroup takes as a whole.
   */
  inner(kind: "loop" | "condition" | "branch"): Block;
}

/** An exchange without its name. */
export type ExchangedValue = Pick<
  Extract<KernelStatement, { kind: "exchange" }>,
  "type" | "value" | "how"
>;

/** An empty block; `outer` looks keys up in the blocks around it. */
export function openBlock(
  names: NameSource,
  outer: (key: string) => Shared | undefined = () => undefined,
  together: Block["exchange"] | null = null,
): Block {
  const statements: KernelStatement[] = [];
  const known = new Map<string, Shared>();
  const exchangeHere: Block["exchange"] = (key, hint, exchange) => {
    const old = known.get(key);
    if (old !== undefined) return old.named;
    const name = names.fresh(hint);
    const { type, value, how } = exchange();
    statements.push({ kind: "exchange", name, type, value, how });
    const named = variableOf(name, type);
    known.set(key, { named });
    return named;
  };
  const exchange = together ?? exchangeHere;
  const inner: Block["inner"] = (kind) =>
    openBlock(names, find, kind === "condition" ? exchange : null);
  let last: Guarded | null = null;
  const find = (key: string): Shared | undefined => known.get(key) ?? outer(key);
  return {
    statements,
    names,
    emit: (statement) => {
      statements.push(statement);
    },
    share: (key, hint, value, origin) => {
      const old = find(key);
      if (old !== undefined) {
        if (old.origin !== undefined) addParts(old.origin, origin);
        return old.named;
      }
      const computed = value();
      const named = nameValue(statements, names, hint, computed);
      known.set(key, origin === undefined ? { named } : { named, origin });
      return named;
    },
    exchange,
    inner,
    guard: (condition, exchanged, fill) => {
      const key = expressionKey(condition);
      const before = last;
      const joins =
        before?.key === key && isNeighbour(statements, before) && !storesTo(before, exchanged);
      const guarded = joins ? before : openGuard(statements, condition, key, inner("condition"));
      last = guarded;
      fill(guarded.block);
      // Behind the exchanges that came since it began.
      statements.splice(statements.indexOf(guarded.statement), 1);
      statements.push(guarded.statement);
    },
  };
}

/** A value that has a name; of a load, what it is for so far. */
interface Shared {
  readonly named: KernelExpression;
  readonly origin?: OriginPart[];
}

/** An `if` that may grow, and the block that fills it. */
interface Guarded {
  readonly key: string;
  readonly statement: KernelStatement;
  readonly block: Block;
}

function openGuard(
  statements: KernelStatement[],
  condition: KernelExpression,
  key: string,
  block: Block,
): Guarded {
  const statement: KernelStatement = { kind: "if", condition, then: block.statements, else: [] };
  statements.push(statement);
  return { key, statement, block };
}

function storesTo({ block }: Guarded, arrays: ReadonlySet<string>): boolean {
  return block.statements.some((s) => s.kind === "store" && arrays.has(s.array));
}

/** Whether only exchanges come after an `if`, none of what it stores. */
function isNeighbour(
  statements: readonly KernelStatement[],
  { statement, block }: Guarded,
): boolean {
  const since = statements.slice(statements.indexOf(statement) + 1);
  const stored = new Set(flatMap(block.statements, (s) => (s.kind === "store" ? [s.array] : [])));
  return since.every(
    (s) =>
      s.kind === "exchange" &&
      !eachKernelExpression(s.value).some((e) => e.kind === "load" && stored.has(e.array)),
  );
}

function nameValue(
  statements: KernelStatement[],
  names: NameSource,
  hint: string,
  value: KernelExpression,
): KernelExpression {
  if (value.kind === "literal" || value.kind === "variable") return value;
  const name = names.fresh(hint);
  statements.push({ kind: "declare", name, type: value.type, value, mutable: false });
  return variableOf(name, value.type);
}

/** Declares a value in a block and returns its name as an expression; simple values stay as they are. */
export function bind(block: Block, hint: string, value: KernelExpression): KernelExpression {
  return nameValue(block.statements, block.names, hint, value);
}
