/** How editors look. Colours are those of the page (style.css), which knows light and dark. */
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { indexColours, indexUnderlines } from "./index-class.ts";

/** Indices: one class for the colour, one for the underline, as style/run.css has them for the rest of the page. */
const indexStyles = Object.fromEntries([
  ...Array.from({ length: indexColours }, (_, n) => [
    `.ix-${n}, .ix-${n} span`,
    { color: `var(--ix-${n})`, fontWeight: "600" },
  ]),
  ...indexUnderlines.map((style, n) => [
    `.ul-${n}, .ul-${n} span`,
    { textDecoration: `underline ${style} 1.5px`, textUnderlineOffset: "3px" },
  ]),
]);

const look = EditorView.theme({
  "&": { height: "100%", zIndex: "0", fontSize: "var(--code-size)", color: "var(--text)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { padding: "10px 0", caretColor: "var(--text)" },
  ".cm-line": { padding: "0 16px 0 6px" },
  ".cm-gutters": {
    backgroundColor: "var(--panel)",
    color: "var(--faint)",
    border: "none",
    paddingLeft: "4px",
  },
  ".cm-activeLine": { backgroundColor: "var(--line)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)", borderLeftWidth: "2px" },
  "@media (prefers-reduced-motion: reduce)": {
    ".cm-cursorLayer": { animation: "none !important" },
  },
  "& .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground":
    { backgroundColor: "var(--selection)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--selection)",
    outline: "none",
  },
  ".cm-hint": {
    color: "var(--faint)",
    fontSize: "0.86em",
    paddingLeft: "2.5ch",
    userSelect: "none",
  },
  ".cm-hint span": { fontWeight: "500", marginRight: "1.5ch", whiteSpace: "pre" },
  ".cm-linked": { backgroundColor: "var(--link)", borderRadius: "3px" },
  ".cm-linked-line": {
    backgroundColor: "var(--link-line)",
    boxShadow: "inset 3px 0 var(--accent)",
  },
  ".cm-added": { backgroundColor: "var(--added)" },
  ".cm-removed": { backgroundColor: "var(--removed)" },
  ".cm-tooltip": {
    backgroundColor: "var(--panel)",
    color: "var(--text)",
    border: "1px solid var(--border)",
    borderRadius: "8px",
    boxShadow: "var(--shadow)",
    overflow: "hidden",
    maxWidth: "min(60ch, 90vw)",
  },
  ".cm-tooltip-autocomplete ul li": { padding: "3px 10px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent)",
    color: "var(--on-accent)",
  },
  ".cm-completionDetail": { color: "inherit", opacity: "0.75", fontStyle: "normal" },
  ".cm-diagnostic": { padding: "8px 12px", borderLeftWidth: "4px", whiteSpace: "pre-wrap" },
  ".cm-diagnosticAction": {
    backgroundColor: "var(--accent)",
    color: "var(--on-accent)",
    borderRadius: "6px",
    padding: "3px 10px",
    font: "inherit",
    margin: "6px 8px 0 0",
    cursor: "pointer",
  },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--error) 1.5px",
    textUnderlineOffset: "3px",
  },
  ".cm-lintRange-warning": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--warning) 1.5px",
    textUnderlineOffset: "3px",
  },
  ...indexStyles,
});

const highlight = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--hl-keyword)" },
  { tag: tags.operatorKeyword, color: "var(--hl-operator)", fontWeight: "600" },
  { tag: tags.typeName, color: "var(--hl-type)" },
  { tag: [tags.number, tags.atom], color: "var(--hl-number)" },
  { tag: tags.string, color: "var(--hl-string)" },
  { tag: tags.propertyName, color: "var(--hl-type)" },
  { tag: tags.comment, color: "var(--hl-comment)" },
  { tag: tags.meta, color: "var(--hl-meta)" },
  { tag: tags.function(tags.variableName), color: "var(--hl-function)" },
]);

/** The look of every editor and every view of a text. */
export const theme: Extension = [look, syntaxHighlighting(highlight)];
