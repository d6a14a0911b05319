import { unconstrained } from "../../core/identifier.ts";
import { refuseUnlessSeen, sessionOf } from "../permission/gate.ts";
import { permitted } from "../permission/permission.ts";
import type { GalleryEntry, HttpDeps } from "../request/deps.ts";
import { Refused } from "../request/refusal.ts";
import type { PagesExchange } from "./pages.ts";

/** Maximum number of images about which the delegate is asked at the same time. */
const readsPerIteration = 16;

/**
 * The images that the client may see at any size, by access rules, signatures and the delegate's
 * `pre_authorize`.
 */
export const seenOf = async (
  pictures: readonly GalleryEntry[],
  exchange: PagesExchange,
  deps: Pick<HttpDeps, "delegate" | "policy" | "auth">,
): Promise<readonly GalleryEntry[]> => {
  const seen: GalleryEntry[] = [];
  for (let at = 0; at < pictures.length; at += readsPerIteration) {
    const some = pictures.slice(at, at + readsPerIteration);
    const answers = await Promise.all(some.map((one) => isSeen(one, exchange, deps)));
    seen.push(...some.filter((_, index) => answers[index]));
  }
  return seen;
};

const isSeen = async (
  { identifier }: GalleryEntry,
  exchange: PagesExchange,
  { delegate, policy, auth }: Pick<HttpDeps, "delegate" | "policy" | "auth">,
): Promise<boolean> => {
  try {
    permitted({ policy, auth }, exchange, {
      identifier,
      marked: { mark: "", segment: identifier },
    });
    if (delegate === undefined) return true;
    const id = { identifier, page: 1, constraint: unconstrained };
    await refuseUnlessSeen(sessionOf(delegate, exchange, id), exchange);
    return true;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
};
