import type { JSX } from "preact";
import { indexClass } from "../editor/index-class.ts";
import { roles, runText } from "../editor/index-marks.ts";
import { Scroll } from "../shell/scroll.tsx";
import { Table } from "../shell/table.tsx";
import { type Answered, links, shownRanges } from "../state.ts";

/** The ranges of all indices, as a table. */
export function RangesTable({ good }: { readonly good: Answered }): JSX.Element {
  const { colours } = shownRanges.value;
  const runs = links.value?.job.source === good.source ? links.value.links.runs : null;
  return (
    <Scroll label="Ranges">
      <Table
        caption="What was inferred: each index runs from its first value up to, and without, its end."
        columns={["Statement", "Index", "From", "To", "How", "On the device"]}
      >
        {good.ranges.map(({ target, span, indices }, s) =>
          indices.map(({ name, lower, upper, role }, n) => (
            <tr key={`${span.start} ${s} ${name}`}>
              {n === 0 ? (
                <th scope="rowgroup" rowSpan={indices.length}>
                  <code>{target}</code>, line {good.source.slice(0, span.start).split("\n").length}
                </th>
              ) : null}
              <td>
                <code class={indexClass(colours.get(name) ?? 0)}>{name}</code>
              </td>
              <td class="number">{lower}</td>
              <td class="number">{upper}</td>
              <td>{roles[role]}</td>
              <td>{runText(runs, span, name)}</td>
            </tr>
          )),
        )}
      </Table>
    </Scroll>
  );
}
