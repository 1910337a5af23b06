import type { Diagnostic, Report } from "../diagnostics/diagnostic.ts";
import type { TypedInlined } from "./typed.ts";

/**
 * Receives what is wrong in the body of a call: tells where the call is. Tensors that are the call's
 * own are called what their definition calls them.
 */
export function fromCall(call: TypedInlined, report: Report): Report {
  const label = { span: call.node.span, text: "called here" };
  const renamed = toCaller(call, report);
  return (d) => renamed({ ...d, labels: [...d.labels, label] });
}

/** Receives what is wrong where the call stands: only names are changed. */
export function toCaller(call: TypedInlined, report: Report): Report {
  const rename = (text: string): string =>
    text.replaceAll(/`(\w+)`/g, (whole, name: string) => {
      const source = call.own.get(name);
      return source === undefined ? whole : `\`${source}\``;
    });
  return (d) => report(renameIn(d, rename));
}

function renameIn(d: Diagnostic, rename: (text: string) => string): Diagnostic {
  return {
    ...d,
    message: rename(d.message),
    labels: d.labels.map((l) => ({ ...l, text: rename(l.text) })),
    ...(d.hint === undefined ? {} : { hint: rename(d.hint) }),
  };
}
