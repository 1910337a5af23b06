import { Fragment, type JSX } from "preact";

/** A path of a mapping, which may be broken behind its slashes. */
export function PathText({ path }: { readonly path: string }): JSX.Element {
  return (
    <code class="path">
      {path.split(/(?<=\/)/).map((word, n) => (
        <Fragment key={n}>
          {word}
          <wbr />
        </Fragment>
      ))}
    </code>
  );
}
