import type { Settings } from "../../config/keys.ts";
import type { DelegateMethod, DelegateSession } from "../../core/delegate.ts";
import type { clientCacheKeys } from "../request/keys.ts";
import type { Permission } from "./permission.ts";

/** Delegate methods whose result may differ between clients, by resource. */
const deciding = {
  image: ["pre_authorize", "authorize", "overlay", "redactions", "metadata"],
  information: [
    "pre_authorize",
    "extra_iiif2_information_response_keys",
    "extra_iiif3_information_response_keys",
  ],
} as const satisfies Readonly<Record<string, readonly DelegateMethod[]>>;

/**
 * The permission as seen by caches of clients and proxies: a delegate's decision is personal unless
 * settings say otherwise.
 */
export const audienceOf = (
  permission: Permission,
  session: Pick<DelegateSession, "has"> | undefined,
  requested: keyof typeof deciding,
  settings: Settings<typeof clientCacheKeys>,
): Permission => {
  const isPersonal =
    session !== undefined &&
    !settings["cache.client.delegate_public"] &&
    deciding[requested].some((method) => session.has(method));
  return isPersonal ? { ...permission, personal: true } : permission;
};
