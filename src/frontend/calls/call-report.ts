import type { Diagnostic, Report } from "../../diagnostics/diagnostic.ts";
import type { TypedInlined } from "../names/typed.ts";

/**
 * Receives what is wrong in the body of a call: tells where the call is, and what the tensors are
 * there that it is about. Those that are the call's own are called what their definition calls them.
 */
export function fromCall(call: TypedInlined, report: Report): Report {
  const renamed = toCaller(call, report);
  return (d) => {
    const passed = call.binding.parameters.filter(
      (p) => p.written !== p.name && d.message.includes(`\`${p.view.tensor}\``),
    );
    const names = passed.map((p) => `\`${p.name}\` is \`${p.written}\``);
    const text = names.length === 0 ? "called here" : `called here: ${names.join(", ")}`;
    renamed({ ...d, labels: [...d.labels, { span: call.node.span, text }] });
  };
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
