import type { ConfigurationEntry } from "../server/wire.ts";
import { blank } from "./differences.ts";

interface Props {
  readonly id: string;
  readonly entry: ConfigurationEntry;
  readonly value: string;
  /** Ids of what describes it. */
  readonly described: string;
  readonly wrong: boolean;
  readonly onChange: (value: string) => void;
}

/** A field that fits what a key takes. */
export const Field = (props: Props) => {
  const { id, entry, value, described, wrong, onChange } = props;
  const { definition } = entry;
  const common = { id, "aria-describedby": described, "aria-invalid": wrong };
  switch (definition.type) {
    case "boolean":
      return (
        <span class="switch">
          <input
            {...common}
            type="checkbox"
            // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox tells it by itself.
            role="switch"
            checked={value === "true"}
            onChange={(event) => onChange(String(event.currentTarget.checked))}
          />
          <span aria-hidden="true">{value === "true" ? "on" : "off"}</span>
        </span>
      );
    case "choice":
      return (
        <select
          {...common}
          class="code"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          {definition.choices.includes(value) ? null : (
            <option value={value}>{value || blank}</option>
          )}
          {definition.choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice || blank}
            </option>
          ))}
        </select>
      );
    case "secret":
      return (
        <input
          {...common}
          type="password"
          class="code"
          value={value}
          autocomplete="new-password"
          placeholder={entry.value === "" ? "not set" : "set, and not shown; type to replace it"}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      );
    case "list":
      return (
        <textarea
          {...common}
          class="code"
          rows={Math.min(6, 1 + Math.floor(value.length / 44))}
          value={value}
          spellcheck={false}
          placeholder={entry.expects}
          onInput={(event) => onChange(event.currentTarget.value.replace(/\n/g, " "))}
        />
      );
    case "color":
      return (
        <span class="colour">
          <Text {...props} />
          <span class="swatch" style={{ background: value }} aria-hidden="true" />
        </span>
      );
    default:
      return <Text {...props} />;
  }
};

const Text = ({ id, entry, value, described, wrong, onChange }: Props) => {
  const { type } = entry.definition;
  const numeric =
    type === "integer" ? "numeric" : type === "number" || type === "seconds" ? "decimal" : "text";
  return (
    <input
      id={id}
      aria-describedby={described}
      aria-invalid={wrong}
      class="code"
      inputMode={numeric}
      value={value}
      autocomplete="off"
      autocapitalize="none"
      spellcheck={false}
      placeholder={entry.expects}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  );
};
