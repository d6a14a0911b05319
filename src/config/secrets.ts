import type { Definition } from "./keys.ts";
import { mask, masked } from "./masked.ts";

/** Whether a key's value is a secret: by its definition, or where there is none, by its name. */
export const isSecret = (key: string, definition: Definition | undefined): boolean =>
  definition === undefined ? secretName.test(key) : definition.type === "secret";

const secretName = /(?:secret|password|passwd|token|credential|account_key|private_key|api_key)/i;

/** A value as text, without the secret that it is or contains; empty ones stay empty. */
export const shownValue = (
  key: string,
  text: string,
  definition: Definition | undefined,
): string => {
  if (text === "") return text;
  return isSecret(key, definition) ? mask : masked(text);
};
