/** How the page is arranged, as links hold it: the widths of its columns, and which tabs are shown. */
import type { LinkLayout } from "../share/link.ts";
import { outputNames, shownOutput, shownSide, sideNames } from "./shown.ts";
import { firstWidths, widen, widths } from "./splitter.tsx";

const first = { ...firstWidths, output: outputNames[0], side: sideNames[0] };

/** The arrangement, without what is as on a new page. Widths have two digits, so that a link of a link is the same. */
export function pageLayout(): LinkLayout {
  const { code, run } = widths.value;
  const round = (width: number): number => Number(width.toFixed(2));
  const now = {
    code: round(code),
    run: round(run),
    output: shownOutput.value,
    side: shownSide.value,
  };
  return Object.fromEntries(
    Object.entries(now).filter(([name, value]) => value !== first[name as keyof typeof first]),
  );
}

/** Arranges the page as a link says; what it does not say, or says in words of another version, is as on a new page. */
export function arrange({ code, run, output, side }: LinkLayout): void {
  widen("code", code ?? first.code);
  widen("run", run ?? first.run);
  shownOutput.value = outputNames.find((name) => name === output) ?? first.output;
  shownSide.value = sideNames.find((name) => name === side) ?? first.side;
}
