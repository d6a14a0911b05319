import { ServerError } from "../../core/errors.ts";
import { checkedIdentifier } from "../../core/identifier.ts";
import { Limiter } from "../../core/limiter.ts";
import type { TileOffer } from "../../iiif/tile-offer.ts";
import type { TileLevel } from "../../iiif/tile-requests.ts";
import type { ReportedFailure } from "./failures.ts";
import type { WarmTally } from "./tally.ts";
import { type WarmAnswer, WarmFailure, type WarmTarget } from "./target.ts";
import {
  infoVersionsOf,
  offerIn,
  slowPaths,
  thumbnailPaths,
  tilePaths,
  tilesIn,
  type WarmWork,
  wantedLevels,
} from "./work.ts";

/** What warming an image needs. */
export interface WarmerParts {
  readonly work: WarmWork;
  readonly get: WarmTarget["get"];
  readonly makePyramids: WarmTarget["makePyramids"];
  /** Whether `makePyramids` has reported that it cannot; then full-size tiles are requested. */
  readonly makesNoPyramids: () => boolean;
  /** What the text of an identifier names; throws `malformed`. */
  readonly nameOf: (text: string) => NamedImage;
  /** Maximum number of concurrent requests. */
  readonly concurrency: number;
  readonly tally: WarmTally;
  readonly onProgress: () => void;
  readonly onFailure: (failure: ReportedFailure) => Promise<void>;
}

/** An image as URLs and tasks name it. */
export interface NamedImage {
  /** Of URLs. */
  readonly segment: string;
  /** Decoded, without a page. */
  readonly identifier: string;
}

/** Number of failures after which an image is given up. */
const maxFailures = 10;

/** Warms one image after the other or several at once; at most `concurrency` requests at a time. */
export class Warmer {
  readonly #parts: WarmerParts;
  readonly #requests: Limiter;

  constructor(parts: WarmerParts) {
    this.#parts = parts;
    const { concurrency } = parts;
    this.#requests = new Limiter(() => ({ running: concurrency, waiting: concurrency ** 2 }));
  }

  /**
   * Warms an image; false where some of it failed, which is reported. Throws `Unreachable`,
   * `WarmStopped` and the signal's reason.
   */
  async warm(identifier: string, signal: AbortSignal): Promise<boolean> {
    const image = new WarmedImage(identifier, this.#parts);
    const { work, makePyramids, makesNoPyramids, nameOf, tally, onProgress } = this.#parts;
    await image.attempt(async () => {
      const named = checkedName(identifier, nameOf);
      const { segment } = named;
      if (work.kinds.has("pyramids") && makePyramids)
        await image.attempt(() =>
          makePyramids(
            named.identifier,
            (share) => {
              tally.at(identifier, share / 2);
              onProgress();
            },
            signal,
          ),
        );
      const isSlow = work.kinds.has("pyramids") && makesNoPyramids();
      const offers = await this.#infos(image, segment, isSlow, signal);
      // Without an info.json, nothing else can be answered.
      if (offers === undefined) return;
      const plans = offers.map((offer) => ({ offer, levels: wantedLevels(work, offer) }));
      const planned = plans.reduce((sum, { levels }) => sum + tilesIn(levels), 0);
      await this.#all(image, this.#paths(plans, segment, isSlow), planned, signal);
    });
    return image.failures === 0;
  }

  *#paths(
    plans: readonly { readonly offer: TileOffer; readonly levels: readonly TileLevel[] }[],
    segment: string,
    isSlow: boolean,
  ): Generator<string> {
    const { work } = this.#parts;
    yield* thumbnailPaths(work, segment);
    const [first] = plans;
    if (isSlow && first) yield* slowPaths(first.offer, segment);
    for (const plan of plans)
      if (work.imageVersions.includes(plan.offer.version)) yield* tilePaths(work, plan, segment);
  }

  /** What the wanted versions offer; undefined where one of them failed. */
  async #infos(
    image: WarmedImage,
    segment: string,
    isSlow: boolean,
    signal: AbortSignal,
  ): Promise<readonly TileOffer[] | undefined> {
    const { work } = this.#parts;
    const versions = infoVersionsOf(work);
    const wanted = versions.length === 0 && isSlow ? work.imageVersions.slice(0, 1) : versions;
    const offers: TileOffer[] = [];
    for (const version of wanted) {
      const path = `/iiif/${version}/${segment}/info.json`;
      const answer = await this.#get(image, path, signal);
      if (answer === undefined) return undefined;
      const offer = offerIn(answer.text);
      if (offer === undefined) {
        await image.fail("expected an info.json of the Image API, got something else", path);
        return undefined;
      }
      offers.push(offer);
    }
    return offers;
  }

  /** Sends all requests, in order, several at a time. */
  async #all(
    image: WarmedImage,
    paths: Generator<string>,
    planned: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { concurrency, tally } = this.#parts;
    let done = 0;
    const one = async (): Promise<void> => {
      for (const path of paths) {
        if (image.failures >= maxFailures) return;
        await this.#get(image, path, signal);
        tally.at(image.identifier, ++done / Math.max(planned, done));
      }
    };
    // Leaving one loop ends the shared generator, and with it the other loops, as intended.
    const runs = await Promise.allSettled(Array.from({ length: concurrency }, one));
    for (const run of runs) if (run.status === "rejected") throw run.reason;
  }

  /** A successful response; undefined where it failed, which is reported. */
  async #get(
    image: WarmedImage,
    path: string,
    signal: AbortSignal,
  ): Promise<WarmAnswer | undefined> {
    const { get, tally, onProgress } = this.#parts;
    const answer = await this.#requests.run(signal, () =>
      get(path, signal).catch((error: unknown) => {
        if (error instanceof WarmFailure) return error;
        throw error;
      }),
    );
    tally.requests++;
    if (!(answer instanceof WarmFailure)) tally.bytes += answer.bytes;
    onProgress();
    if (!(answer instanceof WarmFailure) && answer.status === 200) return answer;
    await image.fail(
      answer instanceof WarmFailure ? answer.message : `${answer.status} ${messageIn(answer.text)}`,
      path,
    );
    return undefined;
  }
}

/** An image that is being warmed. */
class WarmedImage {
  readonly identifier: string;
  failures = 0;
  readonly #onFailure: WarmerParts["onFailure"];

  constructor(identifier: string, { onFailure }: Pick<WarmerParts, "onFailure">) {
    this.identifier = identifier;
    this.#onFailure = onFailure;
  }

  async fail(reason: string, path?: string): Promise<void> {
    this.failures++;
    const { identifier } = this;
    await this.#onFailure({ identifier, reason, ...(path === undefined ? {} : { path }) });
  }

  /** Reports what fails for this image alone. */
  async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isOfImage(error)) throw error;
      await this.fail(error.message);
    }
  }
}

/** Whether an error concerns one image alone. */
export const isOfImage = (error: unknown): error is WarmFailure | ServerError =>
  error instanceof WarmFailure || error instanceof ServerError;

/** Throws `WarmFailure` and `malformed` where an identifier cannot be requested. */
export const checkedName = (text: string, nameOf: WarmerParts["nameOf"]): NamedImage => {
  // URLs have no spelling of these.
  if (text === "." || text === "..")
    throw new WarmFailure("an identifier that is a dot or two cannot be requested by a URL");
  return nameOf(checkedIdentifier(text));
};

/** The message of an error's document, or of its text, which comes after the status; shortened. */
const messageIn = (text: string): string => {
  const line = messageOf(text)
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length > maxMessage ? `${line.slice(0, maxMessage)}…` : line;
};

const maxMessage = 200;

const messageOf = (text: string): string => {
  try {
    const { message, error, detail }: Readonly<Record<string, unknown>> = Object(JSON.parse(text));
    return String(message ?? detail ?? error ?? "");
  } catch {
    const [first, second = first] = text.replace(/<[^>]*>/g, " ").split("\n\n");
    return second ?? "";
  }
};
