/** Elements of HTML and SVG, as data until they are printed: texts and attributes are escaped there and nowhere else. */

/** A text, or an element; null for nothing. */
export type Markup = string | MarkupElement | null;

export interface MarkupElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly Markup[];
}

/** An element; `children` may hold lists. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>> = {},
  ...children: readonly (Markup | readonly Markup[])[]
): MarkupElement {
  return { name, attributes, children: children.flat() as readonly Markup[] };
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (c) => escapes[c] ?? c);
}

const empty = new Set(["meta", "line", "circle", "path", "rect"]);

/** The text of an element. */
export function printMarkup(markup: Markup): string {
  if (markup === null) return "";
  if (typeof markup === "string") return escaped(markup);
  const { name, attributes, children } = markup;
  const given = Object.entries(attributes).map(([key, v]) => ` ${key}="${escaped(String(v))}"`);
  const start = `<${name}${given.join("")}`;
  // A title in a point is an element of it, so that these may have children, too.
  if (empty.has(name) && children.length === 0) return name === "meta" ? `${start}>` : `${start}/>`;
  return `${start}>${children.map(printMarkup).join("")}</${name}>`;
}
