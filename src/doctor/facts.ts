import type { FormatName } from "../core/formats.ts";
import type { Size } from "../core/geometry.ts";
import type { Colour } from "../core/info.ts";

/** Why an image cannot be shown or was not fully examined. */
export interface Problem {
  /**
   * `unreadable`: damaged or an unsupported variant; `off`: its format is switched off or needs
   * software that is missing; `limit`: it exceeded the time or memory limit; `denied`: access was
   * denied; `storage`: the storage failed.
   */
  readonly kind: "unreadable" | "off" | "limit" | "denied" | "storage";
  /** A sentence for operators. */
  readonly reason: string;
  /** Counted from 1; absent if the problem concerns the whole file. */
  readonly page?: number;
}

/** Estimated costs of a request, in pixels to decode and encode. */
export interface CostPair {
  readonly now: number;
  readonly withPyramid: number;
}

/** The cost of zooming into a slow page. */
export interface ZoomCost {
  /** Of a tile in the bottom right corner. */
  readonly tile: CostPair;
  /** Of the whole page in a small size. */
  readonly overview: CostPair;
  /** Estimated size of its pyramid in bytes. */
  readonly pyramidBytes: number;
}

/** Facts from the structure of an image; about its first page unless stated otherwise. */
export interface ImageFacts {
  /** Upright, in pixels. */
  readonly size: Size;
  /** Number of pages; of a video 1. */
  readonly pages: number;
  readonly seconds?: number | "unknown";
  readonly colour: Colour;
  /** Number of stored resolutions. */
  readonly levels: number;
  /** Absent where it is not tiled. */
  readonly tile?: Size;
  readonly progressive?: true;
  /** Of the slowest page; absent where none is slow to zoom. */
  readonly zoom?: ZoomCost;
  /** Number of pages that are slow to zoom. */
  readonly slowPages: number;
}

/** The result of examining the bytes of an object. */
export interface Examined {
  /** By content; absent where it is none that can be read. */
  readonly format?: FormatName;
  /** Absent where the structure cannot be read. */
  readonly image?: ImageFacts;
  readonly problem?: Problem;
  /** How much of the pixels was decoded. */
  readonly decoded: "nothing" | "part" | "all";
  /** A small JPEG in base64. */
  readonly thumbnail?: string;
}

/** Everything known about one object of a collection. Plain data that survives JSON. */
export interface ObjectFacts extends Examined {
  readonly identifier: string;
  /** Changes with the bytes; absent where the object could not be found. */
  readonly version?: string;
  /** In bytes. */
  readonly bytes: number;
  /** As in `2026-01-31T12:00:00.000Z`. */
  readonly modified?: string;
}
