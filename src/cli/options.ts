import { InvalidArgumentError, Option } from "@commander-js/extra-typings";

/** `--config FILE`, of every command that uses a configuration. */
export const configOption = () =>
  new Option(
    "-c, --config <file>",
    "configuration file (default: $VITRINE_CONFIG, or vitrine.properties in this folder)",
  );

/** `--identifier ID`, of commands that read a file or an image of the configured source. */
export const identifierOption = () =>
  new Option(
    "-i, --identifier <id>",
    "image of the configured source, by its identifier (decoded), instead of a file",
  );

/** `--json`, of every command that reports something. */
export const jsonOption = () => new Option("--json", "print the report as JSON");

/** Parses an integer within bounds, optionally a multiple of a number. */
export const integer =
  (
    min: number,
    max: number,
    { multipleOf = 1 }: { readonly multipleOf?: number } = {},
  ): ((text: string) => number) =>
  (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < min || value > max)
      throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`);
    if (value % multipleOf !== 0)
      throw new InvalidArgumentError(`Expected a multiple of ${multipleOf}.`);
    return value;
  };
