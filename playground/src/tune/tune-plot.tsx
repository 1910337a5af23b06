import { type Signal, signal } from "@preact/signals";
import type { JSX } from "preact";
import { timeText } from "../run/time-text.ts";
import { optionsText } from "../state.ts";
import { choicesText, loadCandidate, type Tuning } from "./tune-state.ts";

type Axis = "candidates" | "time";

const axis: Signal<Axis> = signal<Axis>("candidates");

/** A candidate that ran, on the axes: shares of the plot's width and height from its lower left. */
export interface PlotPoint {
  readonly i: number;
  readonly us: number;
  readonly x: number;
  readonly y: number;
}

/** Where candidates and the best so far lie: time upwards on a logarithmic axis. */
export interface PlotShape {
  readonly points: readonly PlotPoint[];
  /** Corners of the line of the best so far. */
  readonly best: readonly { readonly x: number; readonly y: number }[];
  readonly least: number;
  readonly most: number;
}

/** The plot of a run; null as long as nothing ran. */
export function plotOf({ candidates, bests }: Tuning, along: Axis): PlotShape | null {
  const ran = candidates.flatMap((c) => (c.us === undefined ? [] : [{ ...c, us: c.us }]));
  if (ran.length === 0) return null;
  const times = [...ran.map(({ us }) => us), ...bests.map(({ us }) => us)];
  const [least, most] = [Math.min(...times), Math.max(...times)];
  const last = candidates.at(-1);
  const lastMs = Math.max(last?.atMs ?? 0, bests.at(-1)?.atMs ?? 0, 1);
  const before = (ms: number): number => candidates.filter(({ atMs }) => atMs <= ms).length - 1;
  const x = (i: number, ms: number): number =>
    along === "time" ? ms / lastMs : i / Math.max(1, candidates.length - 1);
  const y = (us: number): number =>
    most === least ? 0.5 : Math.log(us / least) / Math.log(most / least);
  const best: { x: number; y: number }[] = [];
  for (const { us, atMs } of bests) {
    const at = x(Math.max(0, before(atMs)), atMs);
    const previous = best.at(-1);
    if (previous !== undefined) best.push({ x: at, y: previous.y });
    best.push({ x: at, y: y(us) });
  }
  const end = best.at(-1);
  if (end !== undefined) best.push({ x: 1, y: end.y });
  const points = ran.map(({ i, us, atMs }, n) => {
    const number = along === "time" ? n : candidates.findIndex((c) => c.i === i);
    return { i, us, x: x(number, atMs), y: y(us) };
  });
  return { points, best, least, most };
}

/** Each candidate that ran, and the best so far. A click on one puts its choices into the page. */
export function TunePlot({ run }: { readonly run: Tuning }): JSX.Element | null {
  const shape = plotOf(run, axis.value);
  if (shape === null) return null;
  const { points, best, least, most } = shape;
  const loaded = run.candidates.find((c) => choicesText(c.options) === optionsText.value)?.i;
  const line = best.map(({ x, y }) => `${100 * x},${100 - 100 * y}`).join(" ");
  return (
    <figure class="tune-plot">
      <figcaption class="actions">
        <span class="faint">
          Time of each candidate, {timeText(least)} at the bottom to {timeText(most)}; the line is
          the best so far. Click one to load it.
        </span>
        <label>
          along{" "}
          <select
            value={axis.value}
            onChange={(event) => {
              axis.value = event.currentTarget.value as Axis;
            }}
          >
            <option value="candidates">candidates</option>
            <option value="time">time</option>
          </select>
        </label>
      </figcaption>
      <div class="plot-area">
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          <polyline points={line} />
        </svg>
        {points.map(({ i, us, x, y }) => (
          <button
            key={i}
            type="button"
            class={i === loaded ? "plot-dot loaded" : "plot-dot"}
            // The table of candidates has them for the keyboard.
            tabIndex={-1}
            title={`candidate ${i}: ${timeText(us)}`}
            aria-label={`Load candidate ${i}, ${timeText(us)}`}
            style={{ left: `${100 * x}%`, bottom: `${100 * y}%` }}
            onClick={() => load(run, i)}
          />
        ))}
      </div>
    </figure>
  );
}

function load({ candidates }: Tuning, i: number): void {
  const found = candidates.find((c) => c.i === i);
  if (found !== undefined) loadCandidate(found.options, found.alternative);
}
