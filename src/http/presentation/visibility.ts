import type { MarkedSegment } from "../../access/signed-urls.ts";
import type { DelegateSession } from "../../core/delegate.ts";
import { unconstrained } from "../../core/identifier.ts";
import type { FolderEntry } from "../../service/folders.ts";
import { informationAccess } from "../auth/information.ts";
import { audienceOf } from "../permission/audience.ts";
import { refuseUnlessSeen, sessionOf } from "../permission/gate.ts";
import type { Permission } from "../permission/permission.ts";
import type { Exchange } from "../request/exchange.ts";
import { Refused } from "../request/refusal.ts";
import type { Dependence, PresentationDeps } from "./deps.ts";

type Deps = Pick<
  PresentationDeps,
  "delegate" | "policy" | "auth" | "imageVersions" | "clientCache"
>;

/** An image that the client may see, at least at a limited size. */
export interface SeenImage extends FolderEntry {
  readonly permission: Permission;
  /** Whether the image needs a login, so that its embedded metadata is not shown. */
  readonly isProtected: boolean;
  readonly session?: DelegateSession;
}

/** The response is the same for all clients. */
export const independent: Dependence = { personal: false, byToken: false, byCookie: false };

/** The combined dependencies of two results. */
export const eitherOf = (one: Dependence, { seconds, ...other }: Permission): Dependence => {
  const ends = [one.seconds, seconds].filter((end) => end !== undefined);
  return {
    personal: one.personal || other.personal,
    byToken: one.byToken || other.byToken,
    byCookie: one.byCookie || other.byCookie === true,
    ...(ends.length > 0 ? { seconds: Math.min(...ends) } : {}),
  };
};

/** Whether all clients see everything. */
export const isOpen = ({ delegate, policy }: Pick<Deps, "delegate" | "policy">): boolean =>
  delegate === undefined && policy?.() === undefined;

/**
 * Decides on a request for an image's manifest as for its info.json: images that require a login
 * are described to everyone, so that viewers can offer the login. Throws `Refused`.
 */
export const manifestAccess = (
  deps: Deps,
  exchange: Exchange,
  identifier: string,
  marked: MarkedSegment,
): Pick<SeenImage, "permission" | "isProtected"> => {
  const [version] = deps.imageVersions();
  const access = informationAccess(deps, exchange, { identifier, marked }, version);
  return { permission: access.permission, isProtected: access.services.length > 0 };
};

/** Maximum number of concurrent calls of the delegate. */
const concurrently = 16;

/** The images of a list that the client may see, and how that depends on the client. */
export const seenImages = async (
  images: readonly FolderEntry[],
  exchange: Exchange,
  deps: Deps,
): Promise<{ readonly seen: readonly SeenImage[]; readonly dependence: Dependence }> => {
  if (isOpen(deps)) return { seen: images.map(open), dependence: independent };
  const seen: SeenImage[] = [];
  let dependence = independent;
  for (let at = 0; at < images.length; at += concurrently) {
    const some = images.slice(at, at + concurrently);
    for (const one of await Promise.all(some.map((image) => seenImage(image, exchange, deps)))) {
      // A rule that refuses may depend on any property of the client.
      dependence = eitherOf(dependence, one?.permission ?? unknown);
      if (one !== undefined) seen.push(one);
    }
  }
  return { seen, dependence };
};

const open = (image: FolderEntry): SeenImage => ({
  ...image,
  permission: independent,
  isProtected: false,
});

const unknown: Dependence = { personal: true, byToken: true, byCookie: true };

const seenImage = async (
  image: FolderEntry,
  exchange: Exchange,
  deps: Deps,
): Promise<SeenImage | undefined> => {
  const { path: identifier } = image;
  const { delegate, clientCache } = deps;
  try {
    const access = manifestAccess(deps, exchange, identifier, { mark: "", segment: identifier });
    if (delegate === undefined) return { ...image, ...access };
    const id = { identifier, page: 1, constraint: unconstrained };
    const session = sessionOf(delegate, exchange, id);
    await refuseUnlessSeen(session, exchange);
    const permission = audienceOf(access.permission, session, "information", clientCache());
    return { ...image, ...access, permission, session };
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
};
