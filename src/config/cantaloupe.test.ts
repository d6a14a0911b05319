import { describe, expect, test } from "vitest";
import { explain, explainedKeys } from "./cantaloupe.ts";
import { cantaloupeSample } from "./cantaloupe-sample.ts";

describe("Cantaloupe's keys", () => {
  test("the sample has 226", () => {
    expect(new Set(cantaloupeSample).size).toBe(226);
    expect(cantaloupeSample).toHaveLength(226);
  });

  test("no key is explained twice", () => {
    const patterns = explainedKeys().map(([pattern]) => pattern);
    expect(patterns.filter((pattern, index) => patterns.indexOf(pattern) !== index)).toEqual([]);
  });

  test.each([
    ["http.min_threads", "meaningless", undefined],
    ["processor.imageio.jpg.reader", "meaningless", undefined],
    ["processor.ManualSelectionStrategy.webp", "meaningless", undefined],
    ["S3Source.chunking.chunk_size", "meaningless", undefined],
    ["log.access.SyslogAppender.host", "later", undefined],
    ["endpoint.iiif.2.restrict_to_sizes", "renamed", "endpoint.iiif.restrict_to_sizes"],
    ["overlays.enabled", "renamed", "overlays.BasicStrategy.enabled"],
    ["allow_upscaling", "renamed", "max_scale"],
    ["HttpSource.trust_all_certs", "renamed", "HttpSource.allow_insecure"],
    [
      "FilesystemResolver.BasicLookupStrategy.path_prefix",
      "renamed",
      "FilesystemSource.BasicLookupStrategy.path_prefix",
    ],
    ["AmazonS3Cache.bucket.name", "renamed", "S3Cache.bucket.name"],
    ["processor.jpg", "renamed", "processor.ManualSelectionStrategy.jpg"],
    ["S3Cache.max_connections", "removed", undefined],
    ["processor.metadata.respect_orientation", "removed", undefined],
  ])("%s is %s, now %s", (key, reason, replacedBy) => {
    const found = explain(key);
    expect([found?.reason, found?.replacedBy]).toEqual([reason, replacedBy]);
  });

  test.each(["max_pixel", "HeapCache.target_siz", "processor.jpg.qualiti", "constructor", ""])(
    "%j is not among them",
    (key) => {
      expect(explain(key)).toBeUndefined();
    },
  );
});
