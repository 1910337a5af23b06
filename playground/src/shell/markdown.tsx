import type { JSX } from "preact";

/** Text with its parts in backticks as code. */
export function Ticked({ text }: { readonly text: string }): JSX.Element {
  return (
    <>
      {text.split("`").map((part, n) => (n % 2 === 1 ? <code key={part + n}>{part}</code> : part))}
    </>
  );
}

/** The pages of `explain`: paragraphs, code in backticks and fences; of links their words. Never HTML. */
export function Markdown({ text }: { readonly text: string }): JSX.Element {
  return (
    <div class="explanation">
      {text
        .split(/^```.*\n/m)
        .map((part, n) =>
          n % 2 === 1 ? <pre key={n}>{part.trimEnd()}</pre> : <Paragraphs key={n} text={part} />,
        )}
    </div>
  );
}

function Paragraphs({ text }: { readonly text: string }): JSX.Element {
  const words = text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return (
    <>
      {words
        .split(/\n{2,}/)
        .map((paragraph) => paragraph.trim())
        .filter((paragraph) => paragraph !== "")
        .map((paragraph) => (
          <p key={paragraph}>
            <Ticked text={paragraph} />
          </p>
        ))}
    </>
  );
}
