import { element, type MarkupElement } from "./markup.ts";

/** A text, or a number, which is printed with four digits. */
export type Cell = string | number;

/** A table with a row of headings; shorter rows end early. */
export function table(heads: readonly string[], rows: readonly (readonly Cell[])[]): MarkupElement {
  const cell = (name: string, value: Cell): MarkupElement =>
    typeof value === "number"
      ? element(name, { class: "number" }, String(Number(value.toPrecision(4))))
      : element(name, {}, value);
  const numeric = heads.map((_, n) => typeof rows[0]?.[n] === "number");
  const top = heads.map((h, n) => element("th", numeric[n] === true ? { class: "number" } : {}, h));
  const body = rows.map((row) =>
    element(
      "tr",
      {},
      row.map((value) => cell("td", value)),
    ),
  );
  const parts = [element("thead", {}, element("tr", {}, top)), element("tbody", {}, body)];
  return element("div", { class: "scroll" }, element("table", {}, parts));
}
