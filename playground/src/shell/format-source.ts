/** The source in the one style of the language. */
import { checked, notice, replaceRequest, source } from "../state.ts";
import { createHelper } from "../worker-client.ts";

const helper = createHelper();

/** Formats the text of the editor, unless it has errors of syntax, or changes meanwhile; undoing brings it back. */
export async function formatSource(): Promise<void> {
  const text = source.value;
  try {
    const formatted = await helper.call({ kind: "format", source: text });
    if (source.value !== text) return;
    replaceRequest.value = { text: formatted };
    const hasErrors = checked.value?.diagnostics.some((d) => d.severity === "error") ?? false;
    if (formatted === text && hasErrors)
      notice.value = "Only a source that can be read is formatted: see the problems.";
  } catch (error) {
    notice.value = `The source was not formatted: ${error instanceof Error ? error.message : String(error)}.`;
  }
}
