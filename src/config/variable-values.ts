import type { Definition } from "./keys.ts";
import { parseValue } from "./parse.ts";

/**
 * The value that an environment variable gives a key; undefined where the text is invalid. An empty
 * variable counts as set where the type has an empty value.
 */
export const readVariable = (definition: Definition, text: string): unknown => {
  if (text.trim() !== "") {
    const parsed = parseValue(definition, text);
    return parsed.ok ? parsed.value : undefined;
  }
  switch (definition.type) {
    case "string":
    case "secret":
    case "path":
      return "";
    case "list":
      return [];
    case "color":
      return definition.default === "" ? "" : undefined;
    case "choice":
      return definition.choices.includes("") ? "" : definition.blank;
    default:
      return undefined;
  }
};

/**
 * Whether a variable is no number or boolean at all, so that it may be meant for another program.
 */
export const isUnreadable = (definition: Definition, text: string): boolean => {
  switch (definition.type) {
    case "boolean":
      return true;
    case "integer":
    case "number":
    case "bytes":
    case "seconds": {
      const { min: _min, max: _max, ...unbounded } = definition;
      return !parseValue(unbounded, text).ok;
    }
    default:
      return false;
  }
};
