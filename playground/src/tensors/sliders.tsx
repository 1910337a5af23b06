import type { JSX } from "preact";
import { heldDimensions, mostTiles, type View, withAxis } from "./plane.ts";

interface SlidersProps {
  readonly shape: readonly number[];
  readonly view: View;
  readonly onView: (view: View) => void;
}

/** Which dimensions are drawn, and where the others are held; nothing for tensors that a plane shows whole. */
export function Sliders({ shape, view, onView }: SlidersProps): JSX.Element | null {
  if (shape.length < 3) return null;
  const hold = (d: number, index: number): void =>
    onView({ ...view, at: view.at.map((old, e) => (e === d ? index : old)) });
  return (
    <div class="sliders">
      <Axis which="rows" title="down" {...{ shape, view, onView }} />
      <Axis which="columns" title="across" {...{ shape, view, onView }} />
      <Facets {...{ shape, view, onView }} />
      {heldDimensions(shape, view).map((d) => (
        <label key={d} class="slider">
          axis {d} at {view.at[d]}
          <input
            type="range"
            min={0}
            max={(shape[d] ?? 1) - 1}
            value={view.at[d] ?? 0}
            onInput={(event) => hold(d, Number(event.currentTarget.value))}
          />
        </label>
      ))}
    </div>
  );
}

function Axis({
  which,
  title,
  shape,
  view,
  onView,
}: SlidersProps & { readonly which: "rows" | "columns"; readonly title: string }): JSX.Element {
  return (
    <label>
      {title}{" "}
      <select
        value={String(view[which])}
        onChange={(event) => onView(withAxis(view, which, Number(event.currentTarget.value)))}
      >
        {shape.map((extent, d) => (
          <option key={d} value={String(d)}>
            axis {d} ({extent})
          </option>
        ))}
      </select>
    </label>
  );
}

/** The dimension of which all planes are shown. */
function Facets({ shape, view, onView }: SlidersProps): JSX.Element {
  const offered = shape.flatMap((extent, d) =>
    d === view.rows || d === view.columns || extent > mostTiles ? [] : [d],
  );
  return (
    <label>
      side by side{" "}
      <select
        value={String(view.facets)}
        onChange={({ currentTarget: { value } }) =>
          onView({ ...view, facets: value === "null" ? null : Number(value) })
        }
      >
        <option value="null">one picture</option>
        {offered.map((d) => (
          <option key={d} value={String(d)}>
            axis {d} ({shape[d]})
          </option>
        ))}
      </select>
    </label>
  );
}
