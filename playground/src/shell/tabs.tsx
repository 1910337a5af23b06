import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

/** A tab with its panel. */
export interface Tab<Name extends string> {
  readonly name: Name;
  readonly title: string;
  readonly body: () => ComponentChildren;
}

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly shown: Name;
  readonly onShow: (name: Name) => void;
  readonly children?: ComponentChildren;
}

const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

/** Tabs as WAI-ARIA has them: arrows go from one to the next, Tab goes on to the panel. */
export function Tabs<Name extends string>(props: TabsProps<Name>): JSX.Element {
  const { label, tabs, shown, onShow, children } = props;
  const id = useId();
  const current = tabs.find((tab) => tab.name === shown) ?? tabs[0];
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }): void => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex((tab) => tab.name === shown);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    onShow(next.name);
    event.currentTarget.querySelector<HTMLElement>(`#${CSS.escape(id)}-${next.name}`)?.focus();
  };
  return (
    <div class="tabs">
      <div class="tab-bar">
        <div role="tablist" aria-label={label} onKeyDown={onKeyDown} tabIndex={-1}>
          {tabs.map(({ name, title }) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`${id}-${name}`}
              aria-selected={name === shown}
              aria-controls={`${id}-panel`}
              tabIndex={name === shown ? 0 : -1}
              onClick={() => onShow(name)}
            >
              {title}
            </button>
          ))}
        </div>
        {children}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${shown}`} class="tab-panel">
        {current?.body()}
      </div>
    </div>
  );
}
