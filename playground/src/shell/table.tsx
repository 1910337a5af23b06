import type { ComponentChildren, JSX } from "preact";

interface TableProps {
  /** What it is about. */
  readonly caption: ComponentChildren;
  /** Whether only screen readers are told, since it is said above. */
  readonly isCaptionHidden?: boolean;
  /** Titles; an empty one for a column of controls or of names. */
  readonly columns: readonly string[];
  /** Rows. */
  readonly children: ComponentChildren;
}

/** A table with its caption, and titles above its columns. */
export function Table({ caption, isCaptionHidden, columns, children }: TableProps): JSX.Element {
  return (
    <table>
      <caption class={isCaptionHidden ? "hidden" : ""}>{caption}</caption>
      <thead>
        <tr>
          {columns.map((title, n) =>
            title === "" ? (
              <td key={n} />
            ) : (
              <th key={n} scope="col">
                {title}
              </th>
            ),
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
