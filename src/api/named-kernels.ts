import { nearestWords } from "../support/edit-distance.ts";

/** What engines and tools ask any object for. */
const probes: ReadonlySet<string> = new Set(
  `then catch finally toJSON constructor inspect nodeType nodeName tagName asymmetricMatch length
  window document ref key default hasAttribute isMockFunction`.split(/\s+/),
);

/**
 * The kernels of a source by name. A name that no definition has is an error that says which there
 * are, where it would be `undefined` and the call of it "not a function"; `in` and `Object.keys` are
 * as ever.
 * @throws TypeError on reading such a name.
 */
export function namedKernels<Kernel>(
  kernels: Readonly<Record<string, Kernel>>,
): Readonly<Record<string, Kernel>> {
  return new Proxy(kernels, {
    get: (target, name, receiver) => {
      const asks =
        typeof name === "string" &&
        !(name in target) &&
        /^[A-Za-z]\w*$/.test(name) &&
        !probes.has(name);
      if (!asks) return Reflect.get(target, name, receiver);
      const known = Object.keys(target);
      const [meant] = nearestWords(name, known);
      const hint =
        meant === undefined ? `there are ${known.join(", ")}` : `did you mean "${meant}"?`;
      throw new TypeError(`the source has no definition "${name}"; ${hint}`);
    },
  });
}
