/** What must hold for every text, however broken. */
import { check } from "../../../src/api/check.ts";
import { outline } from "../../../src/api/outline.ts";
import { lowerSource } from "../../../src/compile.ts";
import { applyFixes } from "../../../src/diagnostics/apply-fixes.ts";
import type { Diagnostic } from "../../../src/diagnostics/diagnostic.ts";
import { type RenderFormat, renderDiagnostics } from "../../../src/diagnostics/render.ts";
import { format } from "../../../src/frontend/format/format.ts";
import { parse } from "../../../src/frontend/syntax/parse.ts";
import { verifyProgram } from "../../../src/ir/verify-program/verify-program.ts";

const formats: readonly RenderFormat[] = ["text", "ansi", "short", "html", "github", "json"];

/**
 * What is wrong with what the compiler says about a text; nothing for most texts. All that is tried
 * here, some ten passes over the text, may take `patience` seconds on a machine that does much else.
 */
export function sourceFaults(source: string, patience = 20): readonly string[] {
  try {
    const started = performance.now();
    const faults = [...checkFaults(source), ...loweringFaults(source)];
    const seconds = (performance.now() - started) / 1000;
    return seconds > patience ? [...faults, `took ${seconds.toFixed(1)} s`] : faults;
  } catch (error) {
    return [`threw ${error instanceof Error ? error.stack : String(error)}`];
  }
}

function checkFaults(source: string): readonly string[] {
  const { diagnostics } = check(source);
  outline(source);
  const formatted = format(source);
  const stable = format(formatted) === formatted;
  const fixed = applyFixes(source, diagnostics).source;
  const broken = parse(source).unreadable.length;
  const worse = broken === 0 && parse(fixed).unreadable.length > 0;
  return [
    ...diagnosticFaults(source, diagnostics),
    ...renderFaults(source, diagnostics),
    ...(stable ? [] : ["formatting again changes the text"]),
    ...(worse ? [`fixes break the text: ${JSON.stringify(fixed)}`] : []),
  ];
}

/** What is said about a list of diagnostics that check or a compilation gives. */
function diagnosticFaults(source: string, diagnostics: readonly Diagnostic[]): readonly string[] {
  const faults = diagnostics.flatMap((d) => oneFaults(source, d));
  const places = diagnostics.map((d) => `${d.code} ${d.span.start} ${d.span.end}`);
  const twice = places.find((place, n) => places.indexOf(place) < n);
  if (twice !== undefined) faults.push(`said twice: ${twice}`);
  const starts = diagnostics.map((d) => d.span.start);
  if (starts.some((s, n) => s < (starts[n - 1] ?? 0))) faults.push("not in order");
  // A mistake needs something that is mistaken.
  const most = 20 + (source.match(/[A-Za-z0-9_]+|\S/g) ?? []).length;
  if (diagnostics.length > most) faults.push(`${diagnostics.length} diagnostics`);
  return faults;
}

function oneFaults(source: string, d: Diagnostic): string[] {
  const faults: string[] = [];
  const spans = [
    d.span,
    ...d.labels.map((l) => l.span),
    ...(d.fixes ?? []).flatMap((f) => f.edits.map((e) => e.span)),
  ];
  const inside = spans.every((s) => s.start >= 0 && s.start <= s.end && s.end <= source.length);
  if (!inside) faults.push(`${d.code} lies outside of the text`);
  const texts = [
    d.message,
    ...d.labels.map((l) => l.text),
    ...(d.hint === undefined ? [] : [d.hint]),
  ];
  if (texts.some((text) => text.trim() === "")) faults.push(`${d.code} says nothing`);
  const odd = texts.find((text) => /\bundefined\b|\bNaN\b|\[object/.test(text));
  // These words may be names of the text.
  if (odd !== undefined && !/undefined|NaN/.test(source)) faults.push(`${d.code} says ${odd}`);
  if (texts.some((text) => text.length > 20_000)) faults.push(`${d.code} says too much`);
  if (d.code.startsWith("TC9")) faults.push(`${d.code}: ${d.message}`);
  return faults;
}

function renderFaults(source: string, diagnostics: readonly Diagnostic[]): readonly string[] {
  return formats.flatMap((kind) => {
    const text = renderDiagnostics(diagnostics, { source, format: kind, file: "a.tc" });
    const empty = (text === "") !== (diagnostics.length === 0);
    return [
      ...(empty ? [`${kind} is empty`] : []),
      ...formatFaults(kind, text, diagnostics.length),
    ];
  });
}

function formatFaults(kind: RenderFormat, text: string, count: number): readonly string[] {
  const faults: string[] = [];
  const lines = text.split("\n").slice(0, -1);
  if (kind === "short" || kind === "github" || kind === "json") {
    if (lines.length !== count) faults.push(`${kind}: ${lines.length} lines for ${count}`);
  }
  if (kind === "json") for (const line of lines) JSON.parse(line);
  const plain = kind === "ansi" ? text.replace(/\p{Cc}\[\d+m/gu, "") : text;
  // Records are data.
  if (kind !== "json" && /(?!\n)\p{Cc}/u.test(plain)) faults.push(`${kind}: control characters`);
  if (kind === "html" && /<(?!\/?(?:div|pre|span)\b)/.test(text)) faults.push("html: a tag");
  return faults;
}

/** The front half of a compilation: a program that it accepts is well-formed. */
function loweringFaults(source: string): readonly string[] {
  const definitions = parse(source).module.definitions.map((d) => d.name.name);
  return definitions.slice(0, 3).flatMap((def) => {
    const lowered = lowerSource(source, { def });
    const said = diagnosticFaults(source, lowered.diagnostics);
    const faults = lowered.ok ? verifyProgram(lowered.program) : [];
    return [...said, ...faults.slice(0, 3).map((fault) => `${def}: ${fault}`)];
  });
}
