import type { ExplainedKey } from "./explanation.ts";

const renamed = (names: Readonly<Record<string, string>>): readonly ExplainedKey[] =>
  Object.entries(names).map(([pattern, replacedBy]) => [
    pattern,
    { reason: "renamed", explanation: "Cantaloupe 5 calls it otherwise.", replacedBy },
  ]);

const removed = (explanation: string, patterns: readonly string[]): readonly ExplainedKey[] =>
  patterns.map((pattern) => [pattern, { reason: "removed", explanation }]);

/** The formats a processor could be chosen for, by Cantaloupe's names. */
export const processorFormats = [
  ..."avi bmp flv gif jp2 jpg mov mp4 mpg pdf png tif webm webp xpm".split(" "),
  "fallback",
];

/**
 * Keys of Cantaloupe 4 and earlier that Cantaloupe 5 has renamed or dropped. The first match
 * counts.
 */
export const oldKeys: readonly ExplainedKey[] = [
  ...removed("Connections need no limit of their own.", ["S3Cache.max_connections"]),
  ...renamed({
    "endpoint.iiif.2.restrict_to_sizes": "endpoint.iiif.restrict_to_sizes",
    "overlays.enabled": "overlays.BasicStrategy.enabled",
    "watermark.*": "overlays.*",
    delegate_script: "delegate_script.pathname",
    allow_upscaling: "max_scale",
    "HttpSource.trust_all_certs": "HttpSource.allow_insecure",
    "HttpSource2.*": "HttpSource.*",
    "resolver.static": "source.static",
    "resolver.delegate": "source.delegate",
    "FilesystemResolver.*": "FilesystemSource.*",
    "HttpResolver.*": "HttpSource.*",
    "JdbcResolver.*": "JdbcSource.*",
    "AzureStorageResolver.*": "AzureStorageSource.*",
    "AmazonS3Resolver.*": "S3Source.*",
    "AmazonS3Source.*": "S3Source.*",
    "AmazonS3Cache.*": "S3Cache.*",
    "StreamProcessor.retrieval_strategy": "processor.stream_retrieval_strategy",
  }),
  ...renamed(
    Object.fromEntries(
      processorFormats.map((format) => [
        `processor.${format}`,
        `processor.ManualSelectionStrategy.${format}`,
      ]),
    ),
  ),
  ...removed("Requests say it, with `response-content-disposition`.", [
    "endpoint.iiif.content_disposition",
  ]),
  ...removed("HTTP/2 cannot be switched separately.", [
    "http.http2.enabled",
    "https.http2.enabled",
  ]),
  ...removed("Cantaloupe 5 no longer has this processor.", [
    "ImageMagickProcessor.*",
    "GraphicsMagickProcessor.*",
    "KakaduDemoProcessor.*",
  ]),
  ...removed("An image's orientation is always respected.", [
    "processor.metadata.respect_orientation",
  ]),
  ...removed("Answers of a delegate are not cached.", ["delegate_script.cache.enabled"]),
  ...removed("Cantaloupe 4.1 leaves logins to a delegate.", [
    "endpoint.public.auth.*",
    "auth.basic.*",
    "http.auth.*",
  ]),
  ...removed("Redactions are a delegate's matter since Cantaloupe 5.", ["redaction.enabled"]),
  ...removed("A scale constraint is part of the meta-identifier since Cantaloupe 5.", [
    "scale_constraint_suffix.*",
  ]),
];
