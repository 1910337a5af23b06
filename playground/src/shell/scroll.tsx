import type { ComponentChildren, JSX } from "preact";

interface ScrollProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

/** Text that may be larger than its place. Not all browsers let the keyboard scroll what cannot have the focus. */
export function Scroll({ label, children }: ScrollProps): JSX.Element {
  return (
    <section
      class="scroll"
      aria-label={label}
      ref={(element) => {
        if (element !== null) element.tabIndex = 0;
      }}
    >
      {children}
    </section>
  );
}
