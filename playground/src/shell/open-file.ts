/** A program from a file of the visitor's. */
import { notice, openProgram } from "../state.ts";

/** More than links may hold, too, in bytes. */
const largest = 1_000_000;

/** Puts a file into the editor: undoing brings back what was there. */
export async function openFile(file: File | undefined): Promise<void> {
  if (file === undefined) return;
  if (file.size > largest) {
    notice.value = `${file.name} is larger than a program: it has ${file.size.toLocaleString("en")} bytes, and at most ${largest.toLocaleString("en")} are read.`;
    return;
  }
  const text = await file.text();
  if (text.includes("\0")) {
    notice.value = `${file.name} is no text. Files of tensors (.npy) are dropped on an input.`;
    return;
  }
  openProgram({ source: text, def: null, sizes: {}, inputs: {}, options: "" });
}
