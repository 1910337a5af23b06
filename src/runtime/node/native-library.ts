/** Native libraries in Node, through the package koffi. */
import type { LibraryHandle } from "koffi";

/** koffi unloads a library when its handle is collected; these live as long as the process. */
const loaded: LibraryHandle[] = [];

/**
 * Loads a library for as long as the process lives, once more if it was loaded before.
 *
 * @param path of a file, or a name that the dynamic loader knows; `null` is the process itself.
 * @param options `global`: libraries that are loaded later find it by its name.
 * @throws Error when koffi is not installed or the library cannot be loaded.
 */
export async function loadLibrary(
  path: string | null,
  options: { readonly global?: boolean } = {},
): Promise<LibraryHandle> {
  const { load } = await loadKoffi();
  try {
    const library = load(path, options);
    loaded.push(library);
    return library;
  } catch (error) {
    throw new Error(`cannot load ${path}: ${messageOf(error)}`);
  }
}

/**
 * The package koffi, which is optional.
 * @throws Error saying how to install it.
 */
export async function loadKoffi(): Promise<typeof import("koffi").default> {
  try {
    return (await import("koffi")).default;
  } catch (error) {
    throw new Error(`the package koffi cannot be loaded (npm install koffi): ${messageOf(error)}`);
  }
}

/** What is said by something that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
