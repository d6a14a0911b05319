import type { Settings } from "../config/keys.ts";
import type { FormatName } from "../core/formats.ts";
import type { Rect, Size } from "../core/geometry.ts";
import type { Constraint } from "../core/identifier.ts";
import type { Page } from "../core/info.ts";
import type { ResolvedRequest } from "../core/plan.ts";
import type { Confinement, Quality } from "../core/request.ts";
import type { limitKeys } from "./limits.ts";

/** Which spellings a version's URLs admit. */
export interface Syntax {
  readonly square: boolean;
  readonly mirror: boolean;
  readonly sizeKeywords: readonly ("full" | "max")[];
  /** `caret`: enlarging needs `^`. `free`: any size may enlarge. */
  readonly upscaling: "caret" | "free";
  /** From the version's spelling to the shared word. */
  readonly qualities: Readonly<Record<string, Quality>>;
  /** Spellings of formats that the version admits, to the shared word. */
  readonly formats: Readonly<Record<string, FormatName>>;
  readonly formatOptional: boolean;
  /** Whether qualities and formats may be spelled in upper case. */
  readonly anyCase?: boolean;
  /** Whether regions in pixels may have decimals, which are rounded. */
  readonly decimals?: boolean;
  /** How a request for a format that the version has no word for fails. */
  readonly unknownFormat: "malformed" | "unsupported";
  /** The longest URI in characters; 1.1 answers 414 above it. */
  readonly maxUriLength?: number;
}

/** How large things are, which canonical spellings turn on. */
export interface Extent {
  /** The upright page as info.json reports it (after a scale constraint). */
  readonly page: Size;
  /** The crop in the coordinates of `page`. */
  readonly crop: Rect;
  /** The largest the crop may come out without enlarging, and with. */
  readonly largest: Size;
  readonly enlarged: Size;
}

/** A request settled against its image. */
export interface Resolution {
  readonly resolved: ResolvedRequest;
  readonly extent: Extent;
}

/** What info.json is made from, the same for every version. */
export interface InformationView {
  /** The public base URI of the image, no trailing slash. */
  readonly uri: string;
  readonly page: Page;
  readonly constraint: Constraint;
  /** What can be written. */
  readonly outputs: readonly FormatName[];
  /** 3.0 `preferredFormats`, in order. */
  readonly preferred: readonly string[];
  readonly limits: Settings<typeof limitKeys>;
  /** How large the image is allowed to the caller; absent: as large as the limits say. */
  readonly confinement?: Confinement;
  /** Further keys, merged last. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** All that sets one version of the Image API apart from the others. */
export interface Version {
  readonly number: 1 | 2 | 3;
  readonly syntax: Syntax;
  /** The JSON-LD context of info.json. */
  readonly context: string;
  /** The compliance document named in `Link: <…>;rel="profile"`. */
  readonly profile: string;
  /** What info.json calls the image's URI. */
  readonly identifierKey: "id" | "@id";
  /** What info.json is served as when nothing, or anything, is accepted. */
  readonly mediaType: "application/json" | "application/ld+json";
  /** The canonical `region/size/rotation/quality.format`; absent where a version has none. */
  canonical?(resolution: Resolution): string;
  /** The body of info.json. */
  information(view: InformationView): Record<string, unknown>;
}
