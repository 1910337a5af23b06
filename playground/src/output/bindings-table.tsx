import type { JSX } from "preact";
import type { CompiledView } from "../compile/compile-source.ts";

/** The kernels with their workgroups, and the buffers that they bind. */
export function BindingsTable({
  good,
}: {
  readonly good: { readonly compiled: CompiledView };
}): JSX.Element {
  const { plan } = good.compiled;
  const buffers = new Map(plan.buffers.map((b) => [b.id, b]));
  return (
    <div class="scroll">
      {plan.kernels.map(({ name, workgroupSize, grid, bindings }) => (
        <table key={name}>
          <caption>
            <code>{name}</code>: {grid.join(" × ")} workgroups of {workgroupSize} invocations
          </caption>
          <thead>
            <tr>
              <th scope="col">Binding</th>
              <th scope="col">Tensor</th>
              <th scope="col">Type</th>
              <th scope="col">Shape</th>
              <th scope="col">Access</th>
              <th scope="col">Role</th>
            </tr>
          </thead>
          <tbody>
            {bindings.map(({ buffer: id, access }, n) => {
              const buffer = buffers.get(id);
              return (
                <tr key={id}>
                  <td class="number">{n}</td>
                  <td>
                    <code>{buffer?.name ?? id}</code>
                  </td>
                  <td>{buffer?.type ?? ""}</td>
                  <td class="number">{buffer?.shape.join(" × ") || "scalar"}</td>
                  <td>{access === "read" ? "read" : "read, write"}</td>
                  <td>{buffer?.role ?? "shared"}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      ))}
    </div>
  );
}
