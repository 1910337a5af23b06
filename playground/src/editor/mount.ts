import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

/**
 * An editor in a shadow tree of its own: there its styles are style sheets that the page constructs,
 * which the page's security policy allows, and not `<style>` elements, which it does not.
 */
export function mountEditor(
  host: HTMLElement,
  doc: string,
  extensions: readonly Extension[],
): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  const state = EditorState.create({ doc, extensions: [...extensions] });
  const view = new EditorView({ state, root, parent: root });
  view.dom.style.height = "100%";
  return view;
}
