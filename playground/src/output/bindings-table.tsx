import type { JSX } from "preact";
import type { CompiledView } from "../compile/compile-source.ts";
import { Scroll } from "../shell/scroll.tsx";
import { Table } from "../shell/table.tsx";

const columns = ["Binding", "Tensor", "Type", "Shape", "Access", "Role"];

/** The kernels with their workgroups, and the buffers that they bind. */
export function BindingsTable({
  good,
}: {
  readonly good: { readonly compiled: CompiledView };
}): JSX.Element {
  const { plan } = good.compiled;
  const buffers = new Map(plan.buffers.map((b) => [b.id, b]));
  return (
    <Scroll label="Bindings">
      {plan.kernels.map(({ name, workgroupSize, grid, bindings }) => (
        <Table
          key={name}
          caption={
            <>
              <code>{name}</code>: {grid.join(" × ")} workgroups of {workgroupSize} invocations
            </>
          }
          columns={columns}
        >
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
        </Table>
      ))}
    </Scroll>
  );
}
