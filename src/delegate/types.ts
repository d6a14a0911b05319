import type { DelegateContext } from "../core/delegate.ts";

/** What a delegate knows of a request. It is read-only; unknown values are null. */
export type Context = DelegateContext;

/** The options of every method except those for meta-identifiers. */
export interface CallOptions {
  /**
   * Aborts when nobody waits for the request any more, or the call takes longer than
   * `delegate_script.timeout`.
   */
  readonly signal: AbortSignal;
}

/** What `pre_authorize` and `authorize` may return. */
export type AccessAnswer =
  | boolean
  | { readonly status_code: number }
  | { readonly status_code: 401; readonly challenge: string }
  | { readonly status_code: number; readonly location: string }
  | {
      readonly status_code: number;
      readonly scale_numerator: number;
      readonly scale_denominator: number;
    };

/** What `deserialize_meta_identifier` returns, and `serialize_meta_identifier` is given. */
export interface MetaIdentifierHash {
  readonly identifier: string;
  /** From 1. */
  readonly page_number?: number | null;
  /** Numerator and denominator. */
  readonly scale_constraint?: readonly [number, number] | null;
}

/** What `httpsource_resource_info` may return. */
export type HttpResourceAnswer =
  | string
  | {
      readonly uri: string;
      readonly username?: string | null;
      readonly secret?: string | null;
      readonly headers?: Readonly<Record<string, string>> | null;
      readonly send_head_request?: boolean | null;
    };

/** What `s3source_object_info` may return. */
export interface S3ObjectAnswer {
  readonly bucket: string;
  readonly key: string;
  readonly endpoint?: string | null;
  readonly region?: string | null;
  readonly access_key_id?: string | null;
  readonly secret_access_key?: string | null;
}

/**
 * A rectangle in whole pixels of the upright page at full size, as in the region of a URL; x and y
 * from 0, width and height from 1.
 */
export interface RedactionAnswer {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface PlacedAnswer {
  /** As in `bottom right`; see the documentation of overlays. */
  readonly position: string;
  /** Pixels from the edges; 0. */
  readonly inset?: number | null;
}

/**
 * What `overlay` may return: an image, or text. Absent values have the defaults of `BasicStrategy`.
 */
export type OverlayAnswer =
  | (PlacedAnswer & {
      /** A path, or a URL of `file:`, `http:` or `https:`. */
      readonly image: string;
    })
  | (PlacedAnswer & {
      /** `\n` begins a line. */
      readonly string: string;
      readonly font?: string | null;
      readonly font_size?: number | null;
      readonly font_min_size?: number | null;
      /** 1 is regular, 2 bold. */
      readonly font_weight?: number | null;
      /** In ems. */
      readonly glyph_spacing?: number | null;
      readonly color?: string | null;
      readonly background_color?: string | null;
      readonly stroke_color?: string | null;
      readonly stroke_width?: number | null;
      readonly word_wrap?: boolean | null;
    });

type Answer<T> = T | Promise<T>;
type Method<T> = (options: CallOptions, context: Context) => Answer<T>;
type None = null | undefined;
type Hash = Readonly<Record<string, unknown>>;

/** Methods by Cantaloupe's names. */
interface Methods {
  deserialize_meta_identifier: (
    metaIdentifier: string,
    context: Context,
  ) => Answer<MetaIdentifierHash | None>;
  serialize_meta_identifier: (parts: MetaIdentifierHash, context: Context) => Answer<string>;
  pre_authorize: Method<AccessAnswer>;
  authorize: Method<AccessAnswer>;
  extra_iiif2_information_response_keys: Method<Hash | None>;
  extra_iiif3_information_response_keys: Method<Hash | None>;
  source: Method<string>;
  filesystemsource_pathname: Method<string | None>;
  httpsource_resource_info: Method<HttpResourceAnswer | None>;
  s3source_object_info: Method<S3ObjectAnswer | None>;
  azurestoragesource_blob_key: Method<string | None>;
  jdbcsource_database_identifier: Method<string | None>;
  jdbcsource_last_modified: Method<string | None>;
  jdbcsource_media_type: Method<string | None>;
  jdbcsource_lookup_sql: Method<string>;
  overlay: Method<OverlayAnswer | None>;
  redactions: Method<readonly RedactionAnswer[] | None>;
  /** XMP to write into the response: `rdf:RDF`, or `x:xmpmeta` around it. */
  metadata: Method<string | None>;
}

type Camel<S extends string> = S extends `${infer A}_${infer B}`
  ? `${A}${Capitalize<Camel<B>>}`
  : S;

/**
 * A delegate's methods, in Cantaloupe's spelling or in camelCase. All are optional, but at least
 * one must exist.
 */
export type Delegate = {
  /** Set before every call. */
  context?: Context;
} & Partial<Methods> & { [M in keyof Methods as Camel<M>]?: Methods[M] };
