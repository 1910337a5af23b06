/** Faults that the analysis could have, as changes of its text: each must change some fact. */
export interface SeededFault {
  readonly name: string;
  /** A file of src/codegen/facts. */
  readonly file: string;
  /** Stands in the file once. */
  readonly from: string;
  readonly to: string;
}

export const seededFaults: readonly SeededFault[] = [
  {
    name: "sectors of 64 B",
    file: "requests.ts",
    from: "sectorBytes = 32",
    to: "sectorBytes = 64",
  },
  {
    name: "requests of 16",
    file: "requests.ts",
    from: "requestLanes = 32",
    to: "requestLanes = 16",
  },
  {
    name: "31 banks",
    file: "requests.ts",
    from: '"32x4", banks: 32',
    to: '"32x4", banks: 31',
  },
  {
    name: "lanes of one bank never share",
    file: "requests.ts",
    from: "Math.max(last + 1, Math.floor(start / unit))",
    to: "Math.floor(start / unit)",
  },
  {
    name: "vectors are scalars",
    file: "trace-kernel.ts",
    from: "const bytes = width * size",
    to: "const bytes = size",
  },
  {
    name: "wanted bytes twice",
    file: "requests.ts",
    from: "start + size - Math.max(start, end)",
    to: "size",
  },
  {
    name: "addresses out of order",
    file: "requests.ts",
    from: "[...bytes].sort((a, b) => a - b)",
    to: "bytes",
  },
  {
    name: "the fullest bank is the first",
    file: "requests.ts",
    from: "if (count > most) most = count",
    to: "if (bank === 0) most = count",
  },
  {
    name: "every lane is the first",
    file: "lane-values.ts",
    from: "{ length: workgroupSize }, (_, n) => n)",
    to: "{ length: workgroupSize }, () => 0)",
  },
  {
    name: "y is x",
    file: "lane-values.ts",
    from: "return scope.group[1]",
    to: "return scope.group[0]",
  },
  {
    name: "a selection takes its first side",
    file: "lane-values.ts",
    from: "(c !== 0 ? at(yes, n) : at(no, n))",
    to: "(c !== 2 ? at(yes, n) : at(no, n))",
  },
  {
    name: "masks are forgotten",
    file: "trace-kernel.ts",
    from: "if (mask !== null && mask[n] === 0) continue;",
    to: "",
  },
  {
    name: "conditions hold for all",
    file: "trace-kernel.ts",
    from: "|| !test(value[n] as number)",
    to: "",
  },
  {
    name: "no other side",
    file: "trace-kernel.ts",
    from: "if (no !== undefined) traceNodes(node.otherwise, { ...frame, mask: no });",
    to: "",
  },
  {
    name: "uniform conditions hold",
    file: "trace-kernel.ts",
    from: "value !== 0 ? node.inner : node.otherwise",
    to: "value !== 2 ? node.inner : node.otherwise",
  },
  {
    name: "ends of loops are forgotten",
    file: "trace-kernel.ts",
    from: "end === undefined ? extent : lanesOf(end, frame.scope)",
    to: "end === null ? 0 : extent",
  },
  {
    name: "loops stand still",
    file: "trace-kernel.ts",
    from: "frame.scope.variables.set(variable, at)",
    to: "frame.scope.variables.set(variable, 0)",
  },
  {
    name: "iterations weigh one",
    file: "trace-kernel.ts",
    from: "weight: frame.weight * weight",
    to: "weight: 1",
  },
  {
    name: "the last subgroup is full",
    file: "trace-kernel.ts",
    from: "const end = Math.min(workgroupSize, first + requestLanes);\n    const starts",
    to: "const end = first + requestLanes;\n    const starts",
  },
  {
    name: "assignments are ignored",
    file: "trace-kernel.ts",
    from: "variables.set(s.name, kept)",
    to: "if (s.kind === 'declare' && !s.mutable) variables.set(s.name, frame.weight * 3)",
  },
  {
    name: "the last iteration is left out",
    file: "samples.ts",
    from: "if (count <= most) return everyOne(count)",
    to: "if (count <= most) return everyOne(Math.max(1, count - 1))",
  },
  {
    name: "the middle stands for one",
    file: "samples.ts",
    from: "weight: count - 2",
    to: "weight: 1",
  },
  {
    name: "parts of loops weigh one",
    file: "samples.ts",
    from: "weight: part",
    to: "weight: 1",
  },
  {
    name: "the first workgroup is all",
    file: "count-kernel.ts",
    from: "combinations(kernel.grid.map(everyOne))",
    to: "combinations(kernel.grid.map(() => [{ at: 0, weight: 1 }]))",
  },
  {
    name: "steps are all the first",
    file: "count-kernel.ts",
    from: "(r === null ? null : (at[n] as number))",
    to: "(r === null ? null : 0)",
  },
  {
    name: "a statement has one load",
    file: "access-sites.ts",
    from: "loads.set(expressionKey(e), e)",
    to: "loads.set(e.array, e)",
  },
  {
    name: "stores are not seen",
    file: "access-sites.ts",
    from: 'if (s.kind === "store") return',
    to: 'if (s.kind === "loop") return [];\n  if (s.kind === "store" && s.index.kind === "step") return',
  },
  {
    name: "other sides have no statements",
    file: "access-sites.ts",
    from: 's.kind === "if" ? list(s.else,',
    to: 's.kind === "if" ? list([],',
  },
  {
    name: "barriers are counted by lanes",
    file: "trace-kernel.ts",
    from: "lanes > 0 ? frame.weight : 0",
    to: "lanes > 0 ? frame.weight * lanes : 0",
  },
  {
    name: "repeats are one dispatch",
    file: "facts.ts",
    from: "new Map([[step.variable, step.extent], ...inner])",
    to: "new Map([[step.variable, 1], ...inner])",
  },
];
