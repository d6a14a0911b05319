import { hash as digest } from "node:crypto";
import type { FormatName } from "./formats.ts";
import type { Orientation, Rect, Size } from "./geometry.ts";
import type { Quality } from "./request.ts";

/** What of the image is wanted, in pixels: no keywords, no percentages, nothing left to decide. */
export interface ResolvedRequest {
  readonly identifier: string;
  /** Counted from 0. */
  readonly page: number;
  readonly orientation: Orientation;
  /** In whole full-size pixels of the upright page; never beyond it. */
  readonly crop: Rect;
  /** Of the crop once scaled, upright, before mirroring and rotation. */
  readonly size: Size;
  readonly mirror: boolean;
  /** Degrees clockwise, 0 ≤ rotation < 360; applied after the mirroring. */
  readonly rotation: number;
  /** `default` wherever the page has the quality asked for anyway; `color` therefore never. */
  readonly quality: Quality;
  readonly format: FormatName;
}

export type Filter =
  | "bell"
  | "bspline"
  | "bicubic"
  | "box"
  | "hermite"
  | "lanczos3"
  | "mitchell"
  | "triangle";

/** How it should come out: what settings say, which no URL can. */
export interface RenderOptions {
  readonly downscaleFilter: Filter;
  readonly upscaleFilter: Filter;
  /** Whether reducing happens in linear light. */
  readonly linear: boolean;
  /** Unsharp amount, 0 for none. */
  readonly sharpen: number;
  /** Red, green, blue, 0 to 255: what lies under transparency where the format has none. */
  readonly background: readonly [number, number, number];
  /** `keep`: RGB and grey profiles are carried into the answer; `srgb`: everything is converted. */
  readonly colour: "keep" | "srgb";
  /** Whether more than 8 bits per sample survive into formats that can hold them. */
  readonly deep: boolean;
  /** Whether what is stored just as it is wanted may be the answer, whatever it was encoded with. */
  readonly stored?: boolean;
  /** Whether pixels that need no drawing may be encoded by another encoder than libvips'. */
  readonly direct?: boolean;
  /** The settings of the output format's encoder. */
  readonly encoding: Readonly<Record<string, string | number | boolean>>;
}

export type Plan = ResolvedRequest & RenderOptions & { readonly sourceVersion: string };

/**
 * What is wanted and how, together. Every field by name: spreading two objects takes longer than all
 * the rest of settling a request, and so does reading what came of it.
 */
export const planOf = (
  wanted: ResolvedRequest,
  options: RenderOptions,
  sourceVersion: string,
): Required<Plan> => ({
  identifier: wanted.identifier,
  page: wanted.page,
  orientation: wanted.orientation,
  crop: wanted.crop,
  size: wanted.size,
  mirror: wanted.mirror,
  rotation: wanted.rotation,
  quality: wanted.quality,
  format: wanted.format,
  downscaleFilter: options.downscaleFilter,
  upscaleFilter: options.upscaleFilter,
  linear: options.linear,
  sharpen: options.sharpen,
  background: options.background,
  colour: options.colour,
  deep: options.deep,
  stored: options.stored ?? false,
  direct: options.direct ?? false,
  encoding: options.encoding,
  sourceVersion,
});

const hash = (text: string): string => digest("sha256", text, "hex").slice(0, 32);

/** What stands for an identifier in the names of what is kept: 32 hexadecimal digits. */
export const imageHash = (identifier: string): string => hash(identifier);

/** All of an image's derivatives have keys that begin so. */
const imagePrefix = (identifier: string): string => `${imageHash(identifier)}/`;

/** The cache key: requests that come to the same plan share one derivative, however they were spelled. */
export const planKey = (plan: Plan): string =>
  imagePrefix(plan.identifier) + hash(JSON.stringify(plan));
