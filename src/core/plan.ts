import { hash as digest } from "node:crypto";
import type { Cover } from "./cover.ts";
import type { FormatName } from "./formats.ts";
import type { Orientation, Rect, Size } from "./geometry.ts";
import { remembered } from "./remembered.ts";
import type { Quality } from "./request.ts";

/**
 * The requested part of the image in pixels: no keywords, no percentages, nothing left to decide.
 */
export interface ResolvedRequest {
  readonly identifier: string;
  /** Counted from 0. */
  readonly page: number;
  readonly orientation: Orientation;
  /** In whole full-size pixels of the upright page, inside it. */
  readonly crop: Rect;
  /** Size of the scaled crop, upright, before mirroring and rotation. */
  readonly size: Size;
  readonly mirror: boolean;
  /** Degrees clockwise, 0 ≤ rotation < 360; applied after the mirroring. */
  readonly rotation: number;
  /**
   * `default` wherever the page has the requested quality anyway; `color` therefore never occurs.
   */
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

/** Rendering options: what settings say and no URL can. */
export interface RenderOptions {
  readonly downscaleFilter: Filter;
  readonly upscaleFilter: Filter;
  /** Whether downscaling happens in linear light. */
  readonly linear: boolean;
  /** Unsharp amount, 0 for none. */
  readonly sharpen: number;
  /** Red, green, blue, 0 to 255: the background where the format has no transparency. */
  readonly background: readonly [number, number, number];
  /** `keep`: RGB and grey profiles are copied to the output; `srgb`: everything is converted. */
  readonly colour: "keep" | "srgb";
  /** Whether more than 8 bits per sample are preserved in formats that can hold them. */
  readonly deep: boolean;
  /** Whether an image stored exactly as requested may be sent, whatever its encoder settings. */
  readonly stored?: boolean;
  /** Whether a whole file in its own format is sent as it is, including metadata. */
  readonly whole?: boolean;
  /** Whether pixels that need no processing may be encoded by another encoder than libvips'. */
  readonly direct?: boolean;
  /** Whether the file's metadata (Exif, IPTC, XMP) is written into the output. */
  readonly preserve?: boolean;
  /** The settings of the output format's encoder. */
  readonly encoding: Readonly<Record<string, string | number | boolean>>;
}

export type Plan = ResolvedRequest &
  RenderOptions & {
    readonly sourceVersion: string;
    /** Hides parts of the image; absent where nothing is hidden. */
    readonly cover?: Cover;
    /**
     * RDF as XML that is written into the response as XMP, replacing the source's; absent for none.
     */
    readonly xmp?: string;
  };

/**
 * The requested image and its options together. Every field is listed: spreading two objects takes
 * longer than the rest of preparing a request, and so does reading the result.
 */
export const planOf = (
  wanted: ResolvedRequest,
  options: RenderOptions,
  sourceVersion: string,
): Required<Omit<Plan, "cover" | "xmp">> => ({
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
  whole: options.whole ?? false,
  direct: options.direct ?? false,
  preserve: options.preserve ?? false,
  encoding: options.encoding,
  sourceVersion,
});

/** A collision-resistant hash as 32 hexadecimal digits. */
export const hash = (text: string): string => digest("sha256", text, "hex").slice(0, 32);

/** The hash of an identifier in cache keys: 32 hexadecimal digits. */
export const imageHash = (identifier: string): string => hash(identifier);

/**
 * The cache key: requests that resolve to the same plan share one derivative, however they were
 * written. It has the image's hash, a slash, and characters that an ETag may have (RFC 9110
 * §8.8.3), but no commas, at which some proxies split lists of ETags.
 */
export const planKey = (plan: Plan): string => planKeys()(plan, plan);

/**
 * As `planKey`, for many plans, with the options of each. Parts that many plans have in common are
 * hashed once, and the rest is plain text: hashing each plan took 3 % of a stored tile.
 */
export const planKeys = (): ((plan: Plan, options: RenderOptions) => string) => {
  const imageOf = remembered(maxKnown, imageHash);
  const states = new WeakMap<RenderOptions, (version: string) => string>();
  const stateOf = (options: RenderOptions): ((version: string) => string) => {
    const known = states.get(options);
    if (known !== undefined) return known;
    const text = optionsText(options);
    const state = remembered(maxKnown, (version) => hash(JSON.stringify([version, text])));
    states.set(options, state);
    return state;
  };
  return (plan, options) =>
    `${imageOf(plan.identifier)}/${stateOf(options)(plan.sourceVersion)}${wantedText(plan)}`;
};

/** Maximum number of images, and of their versions, whose hashes are cached. */
const maxKnown = 4_096;

/**
 * The plan without image, version and options; a template literal, since every request needs it.
 */
const wantedText = ({
  page,
  orientation,
  crop,
  size,
  mirror,
  rotation,
  quality,
  format,
  cover,
  xmp,
}: Plan): string =>
  `-${page}-${orientation}-${crop.x}.${crop.y}.${crop.width}.${crop.height}-${size.width}.${size.height}-${mirror ? "!" : ""}${rotation}-${quality}.${format}${cover === undefined ? "" : coverText(cover)}${xmp === undefined ? "" : `-x${hash(xmp)}`}`;

const coverText = ({ redactions, overlay }: Cover): string =>
  `-c${hash(JSON.stringify([redactions.map(({ x, y, width, height }) => [x, y, width, height]), overlay?.key ?? null]))}`;

const optionsText = (options: RenderOptions): string => {
  const { downscaleFilter, upscaleFilter, linear, sharpen, background, colour, deep } = options;
  const { stored = false, whole = false, direct = false, preserve = false, encoding } = options;
  return JSON.stringify([
    downscaleFilter,
    upscaleFilter,
    linear,
    sharpen,
    background,
    colour,
    deep,
    stored,
    direct,
    encoding,
    ...(whole ? ["whole"] : []),
    ...(preserve ? ["preserve"] : []),
  ]);
};
