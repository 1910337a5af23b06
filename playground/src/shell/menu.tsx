import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface MenuProps {
  readonly title: ComponentChildren;
  readonly onOpen?: () => void;
  readonly children: ComponentChildren;
}

/** A button that opens a panel; Escape, a choice, or a click elsewhere closes it. */
export function Menu({ title, onOpen, children }: MenuProps): JSX.Element {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (): void => details.current?.removeAttribute("open");
    const outside = (event: Event): void => {
      const { target } = event;
      if (target instanceof Node && details.current?.contains(target) !== true) close();
    };
    const leave = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || details.current?.open !== true) return;
      close();
      details.current.querySelector("summary")?.focus();
    };
    // What closes the menu says so, and is a control of its own.
    const chosen = ({ target }: Event): void => {
      if (target instanceof Element && target.closest("[data-closes]") !== null) close();
    };
    document.addEventListener("click", chosen);
    document.addEventListener("pointerdown", outside);
    document.addEventListener("keydown", leave);
    return () => {
      document.removeEventListener("click", chosen);
      document.removeEventListener("pointerdown", outside);
      document.removeEventListener("keydown", leave);
    };
  }, []);
  return (
    <details
      class="menu"
      ref={details}
      onToggle={(event) => {
        if (event.currentTarget.open) onOpen?.();
      }}
    >
      <summary>{title}</summary>
      <div class="menu-panel">{children}</div>
    </details>
  );
}
