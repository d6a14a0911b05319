import type { Settings } from "../config/keys.ts";
import type { FormatName } from "../core/formats.ts";
import type { Rect, Size } from "../core/geometry.ts";
import type { Constraint } from "../core/identifier.ts";
import type { Page } from "../core/info.ts";
import type { ResolvedRequest } from "../core/plan.ts";
import type { Confinement, Quality } from "../core/request.ts";
import type { limitKeys } from "./limits.ts";

/** Which forms a version's URLs allow. */
export interface Syntax {
  readonly square: boolean;
  readonly mirror: boolean;
  readonly sizeKeywords: readonly ("full" | "max")[];
  /** `caret`: enlarging needs `^`. `free`: any size may enlarge. */
  readonly upscaling: "caret" | "free";
  /** From the version's name to the common one. */
  readonly qualities: Readonly<Record<string, Quality>>;
  /** The version's names of formats, to the common ones. */
  readonly formats: Readonly<Record<string, FormatName>>;
  readonly formatOptional: boolean;
  /** Whether qualities and formats may be written in upper case. */
  readonly anyCase?: boolean;
  /** Whether regions in pixels may have decimals, which are rounded. */
  readonly decimals?: boolean;
  /** The error for a format that the version has no name for. */
  readonly unknownFormat: "malformed" | "unsupported";
  /** Maximum length of a URI in characters; 1.1 answers 414 above it. */
  readonly maxUriLength?: number;
}

/** The sizes that canonical forms depend on. */
export interface Extent {
  /** The upright page as info.json reports it (after a scale constraint). */
  readonly page: Size;
  /** The crop in coordinates of `page`. */
  readonly crop: Rect;
  /** The largest sizes of the crop without and with enlarging. */
  readonly largest: Size;
  readonly enlarged: Size;
}

/** A request resolved against its image. */
export interface Resolution {
  readonly resolved: ResolvedRequest;
  readonly extent: Extent;
}

/** The input of info.json, the same for every version. */
export interface InformationView {
  /** The public base URI of the image, no trailing slash. */
  readonly uri: string;
  readonly page: Page;
  readonly constraint: Constraint;
  /** Writable formats. */
  readonly outputs: readonly FormatName[];
  /** 3.0 `preferredFormats`, in order. */
  readonly preferred: readonly string[];
  readonly limits: Settings<typeof limitKeys>;
  /** Maximum size for this client; absent: as large as the limits allow. */
  readonly confinement?: Confinement;
  /** Additional keys, merged last. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Everything that distinguishes one version of the Image API from the others. */
export interface Version {
  readonly number: 1 | 2 | 3;
  readonly syntax: Syntax;
  /** The JSON-LD context of info.json. */
  readonly context: string;
  /** The compliance document named in `Link: <…>;rel="profile"`. */
  readonly profile: string;
  /** info.json's key of the image's URI. */
  readonly identifierKey: "id" | "@id";
  /** The media type of info.json without an Accept header, or when it allows any. */
  readonly mediaType: "application/json" | "application/ld+json";
  /** The canonical `region/size/rotation/quality.format`; absent where a version has none. */
  canonical?(resolution: Resolution): string;
  /** The body of info.json. */
  information(view: InformationView): Record<string, unknown>;
}
