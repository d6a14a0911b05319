import type { Size } from "../core/geometry.ts";
import type { LanguageMap } from "./texts.ts";

/** A label and its value, as in `metadata` and `requiredStatement` (Presentation 3.0 §4.4). */
export interface LabelledValue {
  readonly label: LanguageMap;
  readonly value: LanguageMap;
}

/** A web page about the resource. */
export interface Homepage {
  /** A URL. */
  readonly id: string;
  readonly label: LanguageMap;
}

/** The provider of the resource. */
export interface Provider {
  /** A URI. */
  readonly id: string;
  readonly label: LanguageMap;
  /** The URL of a web page. */
  readonly homepage?: Homepage;
  /** The URL of an image. */
  readonly logo?: string;
}

/** Optional properties of a collection, a manifest or a canvas. */
export interface Description {
  readonly label?: LanguageMap;
  readonly summary?: LanguageMap;
  readonly metadata?: readonly LabelledValue[];
  /** A URI that `rightsUri` accepts. */
  readonly rights?: string;
  readonly requiredStatement?: LabelledValue;
  readonly provider?: Provider;
  readonly homepage?: Homepage;
}

/** A description with the required properties of a resource. */
export type Labelled = Description & Required<Pick<Description, "label">>;

/** How viewers lay out the canvases of a manifest (Presentation 3.0 §3.4). */
export const behaviors = ["individuals", "paged", "continuous", "unordered"] as const;
export type Behavior = (typeof behaviors)[number];

/** The direction in which canvases follow one another (Presentation 3.0 §3.1). */
export const viewingDirections = [
  "left-to-right",
  "right-to-left",
  "top-to-bottom",
  "bottom-to-top",
] as const;
export type ViewingDirection = (typeof viewingDirections)[number];

/** An image service for an image. */
export interface ImageServiceView {
  /** Of the Image API. */
  readonly version: 1 | 2 | 3;
  /** The base URI of the image, no trailing slash. */
  readonly uri: string;
  /** Its compliance level. */
  readonly level: 0 | 1 | 2;
}

/** A JPEG that a service provides, and the service. */
export interface ImageView {
  readonly uri: string;
  /** In pixels. */
  readonly size: Size;
  /** The preferred one first; at least one. */
  readonly services: readonly ImageServiceView[];
}

/** A canvas with one image, which covers it. */
export interface CanvasView extends Labelled {
  /** Its URI without a trailing slash, the base of its annotations' URIs. */
  readonly id: string;
  /** The image's full size in pixels, upright. */
  readonly size: Size;
  readonly image: ImageView;
  readonly thumbnail: ImageView;
}

/** The content of a manifest. */
export interface ManifestView extends Labelled {
  /** Its URI. */
  readonly id: string;
  readonly behavior: Behavior;
  readonly viewingDirection?: ViewingDirection;
  /** At least one. */
  readonly canvases: readonly [CanvasView, ...CanvasView[]];
}

/** A collection or manifest as an item of a collection. */
export interface ItemView {
  readonly kind: "collection" | "manifest";
  /** Its URI. */
  readonly id: string;
  readonly label: LanguageMap;
}

/** The content of a collection. */
export interface CollectionView extends Labelled {
  /** Its URI. */
  readonly id: string;
  readonly items: readonly ItemView[];
  /** The parent collection; absent for the top-level one. */
  readonly partOf?: ItemView;
}

/** The properties of a version of the Presentation API. */
export interface PresentationVersion {
  readonly number: 2 | 3;
  /** The JSON-LD context of its documents. */
  readonly context: string;
  /** The media type of its documents without an Accept header, or when it allows any. */
  readonly mediaType: "application/json" | "application/ld+json";
  manifest(view: ManifestView): Record<string, unknown>;
  collection(view: CollectionView): Record<string, unknown>;
}
