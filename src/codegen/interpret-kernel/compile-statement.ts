/** Statements without barriers to closures that execute them for one invocation. */
import { assertNever, defined, invariant } from "../../support/assert.ts";
import type { KernelExpression, KernelStatement } from "../kernel.ts";
import { compileComponents, compileScalar } from "./compile-expression.ts";
import { compileAtomic, compileStore } from "./compile-store.ts";
import { lazyTaints } from "./compile-taint.ts";
import { type Machine, report } from "./machine.ts";
import type { Evaluate, Scope } from "./scope.ts";

/** Executes for the invocation whose registers begin at `base`. */
export type Execute = (base: number) => void;

/** Makes the scopes of a kernel's statements; registers are never given twice. */
export function scopes(m: Machine): (path: string) => Scope {
  let next = m.temporaries;
  const allocate = (count: number): number => {
    next += count;
    return next - count;
  };
  return (path) => ({ m, allocate, path, first: [], registers: new Map(), observed: new Set() });
}

/** The statements or closures one after the other, as one. */
export function inOrder(parts: readonly Execute[]): Execute {
  const [a, b, c] = parts;
  if (a === undefined) return () => {};
  if (b === undefined) return a;
  if (parts.length === 2) {
    return (base) => {
      a(base);
      b(base);
    };
  }
  if (c !== undefined && parts.length === 3) {
    return (base) => {
      a(base);
      b(base);
      c(base);
    };
  }
  return (base) => {
    for (const part of parts) part(base);
  };
}

/** Sets a variable's registers; all components are computed before any is set. */
function compileSet(name: string, value: KernelExpression, scope: Scope): Execute {
  const { m } = scope;
  const { registers, tainted } = m;
  const slot = defined(m.variables.get(name), "variable", name);
  const components = compileComponents(value, scope);
  const taint = lazyTaints(value, scope);
  const [only] = components;
  if (components.length === 1 && only !== undefined) {
    return (base) => {
      const x = only(base);
      if (m.suspect) tainted[base + slot] = taint(0, base) ? 1 : 0;
      registers[base + slot] = x;
    };
  }
  const values = new Float64Array(components.length);
  const taints = new Uint8Array(components.length);
  return (base) => {
    for (let n = 0; n < components.length; n++) values[n] = (components[n] as Evaluate)(base);
    if (m.suspect) {
      for (let n = 0; n < taints.length; n++) taints[n] = taint(n, base) ? 1 : 0;
      tainted.set(taints, base + slot);
    }
    registers.set(values, base + slot);
  };
}

/** What decides where to go; one that depends on poison is a fault. Scope's first closures are included. */
export function compileCondition(condition: KernelExpression, scope: Scope): Evaluate {
  const { m, path } = scope;
  const value = compileScalar(condition, scope);
  const taint = lazyTaints(condition, scope);
  const first = inOrder(scope.first);
  return (base) => {
    first(base);
    const x = value(base);
    if (m.suspect && taint(0, base)) {
      report(m, "uninitialised", null, path, () => "a branch depends on an uninitialised element");
    }
    return x;
  };
}

function compileSimple(
  s: KernelStatement & { kind: "declare" | "assign" | "store" | "atomic" },
  scope: Scope,
): Execute {
  switch (s.kind) {
    case "declare":
    case "assign":
      return compileSet(s.name, s.value, scope);
    case "store":
      return compileStore(s, scope);
    case "atomic":
      return compileAtomic(s, scope);
    default:
      return assertNever(s);
  }
}

function compileLoop(
  s: KernelStatement & { kind: "loop" },
  path: string,
  m: Machine,
  scopeAt: (path: string) => Scope,
): Execute {
  const { registers } = m;
  const slot = defined(m.variables.get(s.variable), "variable", s.variable);
  const { extent } = s;
  const body = compileBlock(s.body, `${path}.${s.variable}`, m, scopeAt);
  const end = s.end === undefined ? undefined : compileCondition(s.end, scopeAt(path));
  return (base) => {
    const trips = end === undefined ? extent : Math.min(extent, end(base));
    for (let k = 0; k < trips; k++) {
      registers[base + slot] = k;
      m.observer?.execute(m, path);
      body(base);
    }
  };
}

/** A statement without a barrier inside. */
function compileStatement(
  s: KernelStatement,
  path: string,
  m: Machine,
  scopeAt: (path: string) => Scope,
): Execute {
  switch (s.kind) {
    case "loop":
      return compileLoop(s, path, m, scopeAt);
    case "if": {
      const condition = compileCondition(s.condition, scopeAt(path));
      const yes = compileBlock(s.then, `${path}.then`, m, scopeAt);
      const no = compileBlock(s.else, `${path}.else`, m, scopeAt);
      return (base) => {
        m.observer?.execute(m, path);
        if (condition(base) !== 0) yes(base);
        else no(base);
      };
    }
    case "barrier":
      return () => {};
    case "exchange":
    case "fragment":
    case "multiply":
    case "store-fragment":
      invariant(false, "what lanes do together is executed for one invocation");
      break;
    default: {
      const scope = scopeAt(path);
      const effect = compileSimple(s, scope);
      const { observer } = m;
      const observe = observer === null ? [] : [() => observer.execute(m, path)];
      return inOrder([...observe, ...scope.first, effect]);
    }
  }
}

/** Statements without barriers; `path` is that of the list that they stand in, `from` their place. */
export function compileBlock(
  body: readonly KernelStatement[],
  path: string,
  m: Machine,
  scopeAt: (path: string) => Scope,
  from = 0,
): Execute {
  return inOrder(body.map((s, n) => compileStatement(s, `${path}[${from + n}]`, m, scopeAt)));
}
