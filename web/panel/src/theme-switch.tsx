import { usePanel } from "./panel.ts";
import { type ThemeName, themes } from "./theme.ts";
import { Choice } from "./ui/choice.tsx";

const labels: Readonly<Record<ThemeName, string>> = { auto: "Auto", light: "Light", dark: "Dark" };

/** Light, dark, or the system's theme. */
export const ThemeSwitch = () => {
  const { theme } = usePanel();
  return (
    <Choice
      legend="Colours"
      options={themes.map((name) => ({ value: name, label: labels[name] }))}
      value={theme.chosen.value}
      onChange={(name) => {
        theme.chosen.value = name;
      }}
    />
  );
};
