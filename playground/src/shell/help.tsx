import type { JSX } from "preact";
import { Scroll } from "./scroll.tsx";

const keys: readonly (readonly [string, string])[] = [
  ["Ctrl-Enter", "run"],
  ["Ctrl-Space", "complete a name"],
  ["Shift-Alt-F", "format"],
  ["Ctrl-/", "comment lines out, or in"],
  ["Tab", "leave the editor"],
  ["← →", "the next tab; the width of a column; an element of a picture"],
  ["Esc", "close a menu"],
];

/** The language in a few lines, and what can be done here. */
export function Help(): JSX.Element {
  return (
    <Scroll label="Help">
      <div class="help">
        <p>
          A program says what each element of a tensor is:{" "}
          <code>C(m, n) +=! A(m, k) * B(k, n)</code>. An index that is on the right side only is
          combined over: <code>+=!</code> adds, <code>max=!</code> takes the largest. The{" "}
          <code>!</code> begins from nothing; without it, from what was there.
        </p>
        <p>
          How far indices run is inferred from the tensors, and stands behind each statement:{" "}
          <code>k 0:64</code> is 0 to 63. <code>#! sizes</code> and <code>#! input</code> make a
          file run by itself.
        </p>
        <p>
          Point at an index, a tensor or a line, in the code, the loops or the WGSL: what belongs to
          it is lit in the others. Each index has one colour everywhere.
        </p>
        <p>
          <b>Run</b> executes it on your GPU and compares it with a float64 reference; <b>Tune</b>{" "}
          searches a faster mapping. Nothing is sent anywhere.
        </p>
        <dl>
          {keys.map(([key, what]) => (
            <div key={key}>
              <dt>
                <kbd>{key}</kbd>
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Scroll>
  );
}
