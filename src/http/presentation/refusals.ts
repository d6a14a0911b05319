import type { Settings } from "../../config/keys.ts";
import { fail } from "../../core/errors.ts";
import type { presentationKeys } from "../../presentation/keys.ts";

/** Throws `denied` if a manifest would have too many canvases; the message names `what`. */
export const refuseTooMany = (
  count: number,
  what: string,
  settings: Settings<typeof presentationKeys>,
): void => {
  const max = settings["endpoint.presentation.max_canvases"];
  if (count > max)
    fail(
      "denied",
      `${what} has more than ${max} canvases, the limit of endpoint.presentation.max_canvases for a manifest.`,
    );
};
