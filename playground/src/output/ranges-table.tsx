import { Fragment, type JSX } from "preact";
import { indexClass } from "../editor/index-class.ts";
import { roles, runOf } from "../editor/index-marks.ts";
import { PathText } from "../shell/path-text.tsx";
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
          indices.map(({ name, lower, upper, role }, n) => {
            const { loops = [], choices = [] } = runOf(runs, span, name) ?? {};
            return (
              <Fragment key={`${span.start} ${s} ${name}`}>
                <tr class="above">
                  {n === 0 ? (
                    <th scope="rowgroup" rowSpan={2 * indices.length}>
                      <code>{target}</code>, line{" "}
                      {good.source.slice(0, span.start).split("\n").length}
                    </th>
                  ) : null}
                  <td>
                    <code class={indexClass(colours.get(name) ?? 0)}>{name}</code>
                  </td>
                  <td class="number">{lower}</td>
                  <td class="number">{upper}</td>
                  <td>{roles[role]}</td>
                  <td>{loops.join(", ")}</td>
                </tr>
                <tr>
                  <td colSpan={5}>
                    <Choices choices={choices} />
                  </td>
                </tr>
              </Fragment>
            );
          }),
        )}
      </Table>
    </Scroll>
  );
}

/** What makes an index run so. */
function Choices({ choices }: { readonly choices: readonly string[] }): JSX.Element | null {
  if (choices.length === 0) return null;
  return (
    <span class="faint">
      chosen by{" "}
      {choices.map((choice, n) => (
        <Fragment key={choice}>
          {n === 0 ? "" : ", "}
          <PathText path={choice} />
        </Fragment>
      ))}
    </span>
  );
}
