import { type MetaIdentifier, unconstrained } from "../../core/identifier.ts";
import type { GalleryImage } from "../../gallery/entries.ts";
import { refuseUnlessSeen, sessionOf } from "../permission/gate.ts";
import { type NamingDeps, writeText } from "../permission/identifier.ts";
import { permitted } from "../permission/permission.ts";
import type { HttpDeps } from "../request/deps.ts";
import { Refused } from "../request/refusal.ts";
import type { PagesExchange } from "./pages.ts";

/** The dependencies of deciding which images a client sees, and of writing their identifiers. */
export type SeeingDeps = Pick<HttpDeps, "delegate" | "policy" | "auth"> & NamingDeps;

/** An image as the page gets it. */
export interface SeenImage extends Omit<GalleryImage, "identifier"> {
  /** As in URLs, but not percent-encoded; with a page number if it would otherwise be ambiguous. */
  readonly identifier: string;
}

/** Maximum number of concurrent calls of the delegate. */
const readsPerIteration = 16;

/** Whether some images may be hidden from some clients. */
export const mayHide = ({ delegate, policy }: SeeingDeps): boolean =>
  delegate !== undefined || policy?.() !== undefined;

/**
 * The images that the client may see at any size, by access rules, signatures and the delegate's
 * `pre_authorize`.
 */
export const seenOf = async (
  images: readonly GalleryImage[],
  exchange: PagesExchange,
  deps: SeeingDeps,
): Promise<readonly SeenImage[]> => {
  const seen: SeenImage[] = [];
  for (let at = 0; at < images.length; at += readsPerIteration) {
    const some = images.slice(at, at + readsPerIteration);
    const answers = await Promise.all(some.map((image) => asSeen(image, exchange, deps)));
    seen.push(...answers.filter((answer) => answer !== undefined));
  }
  return seen;
};

const asSeen = async (
  image: GalleryImage,
  exchange: PagesExchange,
  deps: SeeingDeps,
): Promise<SeenImage | undefined> => {
  const { identifier } = image;
  const { delegate } = deps;
  const id: MetaIdentifier = { identifier, page: 1, constraint: unconstrained };
  try {
    permitted(deps, exchange, { identifier, marked: { mark: "", segment: identifier } });
    const session = delegate && sessionOf(delegate, exchange, id);
    if (session) await refuseUnlessSeen(session, exchange);
    return { ...image, identifier: await writeText(id, session, exchange, deps) };
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
};
