/**
 * `<tc-play>`: the playground in a page of documentation, in a frame of its own.
 *
 * ```html
 * <script type="module" src="playground/tc-play.js"></script>
 * <tc-play sizes="N=8 D=16">def softmax(float(N, D) x) -> (y) { ... }</tc-play>
 * <tc-play src="softmax.tc" height="500"></tc-play>
 * ```
 * `src` names a file, else the element's text is the program; `sizes` and `def` are as on the page. A file that cannot be
 * loaded leaves a message in its place.
 */
import { writeLink } from "../share/link.ts";

/** Where the page lies: beside this module. */
const page = new URL(/* @vite-ignore */ "./", import.meta.url);

const usualHeight = 480;

/** `M=4, N=8` as sizes; what is no size is left out. */
function sizesOf(text: string): Readonly<Record<string, number>> {
  const pairs = [...text.matchAll(/([A-Za-z_]\w*)\s*=\s*(-?\d+)/g)];
  return Object.fromEntries(pairs.map(([, name = "", value = ""]) => [name, Number(value)]));
}

/** The text of a file, or why there is none. */
async function loaded(file: string): Promise<string | Error> {
  try {
    const response = await fetch(file);
    if (response.ok) return await response.text();
    return new Error(`the server answers ${`${response.status} ${response.statusText}`.trim()}`);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Browsers want a class. */
class TcPlay extends HTMLElement {
  connectedCallback(): void {
    void this.show();
  }

  /** Puts the frame in the place of what is inside. */
  async show(): Promise<void> {
    const file = this.getAttribute("src");
    const source = file === null ? (this.textContent ?? "").trim() : await loaded(file);
    if (source instanceof Error) {
      const said = document.createElement("p");
      said.setAttribute("role", "alert");
      said.textContent = `The program ${file} could not be loaded: ${source.message}.`;
      this.replaceChildren(said);
      return;
    }
    const link = await writeLink({
      source: `${source.trimEnd()}\n`,
      def: this.getAttribute("def"),
      sizes: sizesOf(this.getAttribute("sizes") ?? ""),
      inputs: {},
      options: "",
    });
    const frame = document.createElement("iframe");
    frame.src = `${page.href}?embed${link}`;
    frame.title = "tc-wgsl playground";
    frame.allow = "clipboard-write";
    frame.style.width = "100%";
    frame.style.height = `${Number(this.getAttribute("height")) || usualHeight}px`;
    frame.style.border = "1px solid #8886";
    frame.style.borderRadius = "8px";
    this.replaceChildren(frame);
  }
}

customElements.define("tc-play", TcPlay);
