import { masked } from "../config/masked.ts";
import { fail } from "../core/errors.ts";

/**
 * Parses an http or https URL of a setting; throws `malformed` for any other, without revealing a
 * password.
 */
export const httpAddress = (purpose: string, given: string, url = given): string =>
  URL.canParse(url) && /^https?:/.test(url)
    ? url
    : fail(
        "malformed",
        `${purpose} needs an http or https address as endpoint; got ${masked(given)}.`,
      );
