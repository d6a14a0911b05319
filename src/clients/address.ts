import { masked } from "../config/masked.ts";
import { fail } from "../core/errors.ts";

/**
 * An http or https address as a setting has it; throws `malformed` for any other, telling no
 * password.
 */
export const httpAddress = (purpose: string, given: string, url = given): string =>
  URL.canParse(url) && /^https?:/.test(url)
    ? url
    : fail(
        "malformed",
        `${purpose} needs an http or https address as endpoint; got ${masked(given)}.`,
      );
