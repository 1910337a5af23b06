import { type Signal, signal } from "@preact/signals";
import type { JSX } from "preact";
import { commandOf } from "../share/command.ts";
import { madeBy } from "../share/drift.ts";
import { longLink, writeLink } from "../share/link.ts";
import { choicesAnywhere, lastGood, linkState, source } from "../state.ts";
import { pageLayout } from "./layout.ts";

/** Which compiler chose: found out when the menu opens, since browsers let a page copy soon after a click only. */
let made: Promise<string> = Promise.resolve(madeBy(null));

/** Gets ready to write a link. */
export function prepareShare(): void {
  said.value = "";
  const good = lastGood.value;
  const has = good !== null && good.job.options.trim() !== "";
  made = (has ? choicesAnywhere(good) : Promise.resolve(null))
    .catch(() => null)
    .then((options) => madeBy(options));
}

/** What became of the last copy. */
const said: Signal<string> = signal("");

/** Puts the link into the address bar, and a text that is made of it onto the clipboard. */
async function copy(what: "The link" | "It", make: (url: string) => string): Promise<void> {
  const link = await writeLink({ ...linkState(), made: await made }, pageLayout());
  history.replaceState(null, "", link);
  const text = make(location.href);
  const { length } = what === "The link" ? location.href : text;
  const long = location.href.length > longLink ? "; some programs cut links of this length" : "";
  try {
    await navigator.clipboard.writeText(text);
    said.value = `Copied. ${what} has ${length} characters${long}.`;
  } catch {
    said.value = `This browser does not let the page copy. The link is in the address bar (${location.href.length} characters${long}).`;
  }
}

/** Links, and other texts that hold the program. */
export function Share(): JSX.Element {
  const embedded = (url: string): string => url.replace("#", "?embed#");
  return (
    <div class="share">
      <p>
        A link holds the source, the sizes, the inputs, the mapping, and how the page is arranged.
        They are behind the <code>#</code>, which no server sees.
      </p>
      <p class="actions">
        <button type="button" class="primary" onClick={() => void copy("The link", (url) => url)}>
          Copy link
        </button>
        <button
          type="button"
          onClick={() =>
            void copy(
              "It",
              (url) => `\`\`\`\n${source.value.trimEnd()}\n\`\`\`\n[Run it](${url})\n`,
            )
          }
        >
          As Markdown
        </button>
        <button
          type="button"
          onClick={() =>
            void copy(
              "It",
              (url) => `<iframe src="${embedded(url)}" width="100%" height="480"></iframe>`,
            )
          }
        >
          As iframe
        </button>
        <button type="button" onClick={() => void copy("It", () => commandOf(linkState()))}>
          As command
        </button>
      </p>
      <p role="status">{said.value}</p>
    </div>
  );
}
