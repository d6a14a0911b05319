import { useId } from "preact/hooks";

interface Props<T extends string> {
  /** The group's label for screen readers. */
  readonly legend: string;
  readonly options: readonly { readonly value: T; readonly label: string }[];
  readonly value: T;
  readonly onChange: (value: T) => void;
}

/** A few options side by side, one of which is selected. */
export const Choice = <T extends string>({ legend, options, value, onChange }: Props<T>) => {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend class="unseen">{legend}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
};
