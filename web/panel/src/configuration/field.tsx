import type { ConfigurationEntry } from "../server/wire.ts";
import { blank } from "./differences.ts";

interface Props {
  readonly id: string;
  readonly entry: ConfigurationEntry;
  readonly value: string;
  /** Ids of the elements that describe it. */
  readonly described: string;
  readonly wrong: boolean;
  readonly onChange: (value: string) => void;
}

/** A field for the type of a key's value. */
export const Field = (props: Props) => {
  const { id, entry, value, described, wrong, onChange } = props;
  const { definition, lock } = entry;
  const common = { id, "aria-describedby": described, "aria-invalid": wrong };
  const isLocked = lock !== undefined;
  switch (definition.type) {
    case "boolean":
      return (
        <span class="switch">
          <input
            {...common}
            type="checkbox"
            // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox tells it by itself.
            role="switch"
            disabled={isLocked}
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
          disabled={isLocked}
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
          readOnly={isLocked}
          value={value}
          autocomplete="new-password"
          placeholder={placeholderOf(entry)}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      );
    case "list":
      return (
        <textarea
          {...common}
          class="code"
          readOnly={isLocked}
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

const placeholderOf = ({ value, lock }: ConfigurationEntry): string => {
  if (value === "") return "not set";
  return lock ? "set, hidden" : "set, hidden; type to replace it";
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
      readOnly={entry.lock !== undefined}
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
