import type { ComponentChildren, JSX } from "preact";

interface ScrollProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** For what scrolls: not all browsers let the keyboard scroll what cannot have the focus. */
export function letFocus(element: HTMLElement | null): void {
  if (element !== null) element.tabIndex = 0;
}

/** Text that may be larger than its place. */
export function Scroll({ label, children }: ScrollProps): JSX.Element {
  return (
    <section class="scroll" aria-label={label} ref={letFocus}>
      {children}
    </section>
  );
}
