/** Light or dark: as the system says, until the visitor chooses. */
import { type Signal, signal } from "@preact/signals";

export type Theme = "light" | "dark";

const key = "tc-wgsl theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

/** Storage may be forbidden. */
function stored(): Theme | null {
  try {
    const found = localStorage.getItem(key);
    return found === "light" || found === "dark" ? found : null;
  } catch {
    return null;
  }
}

export const theme: Signal<Theme> = signal<Theme>(stored() ?? (dark.matches ? "dark" : "light"));

dark.addEventListener("change", () => {
  if (stored() === null) theme.value = dark.matches ? "dark" : "light";
});

/** The page follows the signal. */
export function followTheme(): () => void {
  return theme.subscribe((name) => {
    document.documentElement.dataset["theme"] = name;
  });
}

/** The visitor's choice, kept for the next visit. */
export function setTheme(name: Theme): void {
  theme.value = name;
  try {
    localStorage.setItem(key, name);
  } catch {
    // It holds for this visit.
  }
}
