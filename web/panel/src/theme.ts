import { effect, type Signal, signal } from "@preact/signals";

/** The system's theme, or always one of the two. */
export const themes = ["auto", "light", "dark"] as const;
export type ThemeName = (typeof themes)[number];

/** Light or dark. */
export interface Theme {
  /** The chosen theme; stored by the browser. */
  readonly chosen: Signal<ThemeName>;
  /** Incremented whenever the displayed colours change. */
  readonly changes: Signal<number>;
}

const remembered = "vitrine.theme";

export const createTheme = (): Theme => {
  const kept = localStorage.getItem(remembered);
  const chosen = signal<ThemeName>(themes.find((name) => name === kept) ?? "auto");
  const changes = signal(0);
  effect(() => {
    document.documentElement.dataset["theme"] = chosen.value;
    if (chosen.value === "auto") localStorage.removeItem(remembered);
    else localStorage.setItem(remembered, chosen.value);
    changes.value = changes.peek() + 1;
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    changes.value++;
  });
  return { chosen, changes };
};
