import type { Settings } from "../../config/keys.ts";
import { fail } from "../../core/errors.ts";
import type { presentationKeys } from "../../presentation/keys.ts";

/** Throws `denied` where a manifest would have too many canvases; `what` is named in the message. */
export const refuseTooMany = (
  count: number,
  what: string,
  settings: Settings<typeof presentationKeys>,
): void => {
  const max = settings["endpoint.presentation.max_canvases"];
  if (count > max)
    fail(
      "denied",
      `${what} has more than the ${max} canvases that endpoint.presentation.max_canvases allows a manifest.`,
    );
};
