import { checkedName, isOfImage, type WarmerParts } from "./warmer.ts";
import {
  estimatedBytes,
  estimatedThumbnail,
  infoVersionsOf,
  needsTiles,
  offerIn,
  thumbnailPaths,
  tilesIn,
  wantedLevels,
} from "./work.ts";

/** Counts the requests for images and estimates the size of responses; requests info.json only. */
export class DryRun {
  readonly #parts: WarmerParts;

  constructor(parts: WarmerParts) {
    this.#parts = parts;
  }

  /** As `Warmer.warm`. */
  async warm(text: string, signal: AbortSignal): Promise<boolean> {
    const { work, nameOf, get, onFailure, onProgress, tally: counts } = this.#parts;
    try {
      const { segment } = checkedName(text, nameOf);
      const thumbnails = thumbnailPaths(work, segment);
      counts.requests += thumbnails.length + infoVersionsOf(work).length;
      for (const path of thumbnails)
        counts.bytes += estimatedThumbnail(path.slice(path.indexOf(segment) + segment.length + 1));
      for (const version of needsTiles(work) ? work.imageVersions : []) {
        const path = `/iiif/${version}/${segment}/info.json`;
        const answer = await get(path, signal);
        const offer = answer.status === 200 ? offerIn(answer.text) : undefined;
        if (offer === undefined) {
          await onFailure({ identifier: text, path, reason: String(answer.status) });
          return false;
        }
        const levels = wantedLevels(work, offer);
        counts.requests += tilesIn(levels);
        counts.bytes += estimatedBytes(levels, work.format ?? offer.preferredFormats[0]);
      }
      onProgress();
      return true;
    } catch (error) {
      if (!isOfImage(error)) throw error;
      await onFailure({ identifier: text, reason: error.message });
      return false;
    }
  }
}
