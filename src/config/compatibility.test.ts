import { describe, expect, it } from "vitest";
import { keyGroups } from "../app/keys.ts";
import { cantaloupeSample } from "./cantaloupe-sample.ts";
import { compatibilityKeys, keyOfCantaloupe } from "./compatibility.ts";
import type { Environment } from "./environment.ts";
import { defineKeys } from "./keys.ts";
import { definitionsOf, evaluate } from "./layers.ts";
import { parseProperties } from "./properties.ts";

describe("keys", () => {
  it("use Cantaloupe's meaning where only Cantaloupe has them", () => {
    expect(keyOfCantaloupe(cantaloupeSample)).toBe("temp_pathname");
    expect(keyOfCantaloupe(["http.port", "processor.selection_strategy"])).toBe(
      "processor.selection_strategy",
    );
    expect(keyOfCantaloupe(["resolver.static"])).toBe("resolver.static");
  });

  it("use Vitrine's where they are Vitrine's, or unknown", () => {
    expect(keyOfCantaloupe(definitionsOf(keyGroups).keys())).toBeUndefined();
    expect(keyOfCantaloupe(["http.port", "max_pixel", ""])).toBeUndefined();
    expect(keyOfCantaloupe([])).toBeUndefined();
  });
});

describe("missing keys", () => {
  const definitions = definitionsOf([
    {
      title: "",
      keys: {
        ...compatibilityKeys,
        ...defineKeys({
          proxies: { type: "list", default: ["a"], cantaloupe: ["a", "b"], doc: "Proxies." },
          others: { type: "list", default: ["c"], doc: "Others." },
        }),
      },
    },
  ]);
  const proxiesIn = (text: string, env: Environment = {}): unknown => {
    const { values } = evaluate(definitions, {
      given: {},
      chain: { files: [{ path: "f", properties: parseProperties(text), writable: true }] },
      runtime: new Map(),
      env,
    });
    expect(values["others"]).toEqual(["c"]);
    return values["proxies"];
  };

  it.each([
    ["", ["a"]],
    ["others = c", ["a"]],
    ["http.max_threads =", ["a", "b"]],
    ["http.max_threads = 8\nproxies =", ["a", "b"]],
    ["http.max_threads = 8\nproxies = a", ["a"]],
    ["http.max_threads = 8\ncompatibility = none", ["a"]],
    ["compatibility = cantaloupe", ["a", "b"]],
    ["compatibility = auto", ["a"]],
  ])("for %j in the file are %j", (text, expected) => {
    expect(proxiesIn(text)).toEqual(expected);
  });

  it("follow the environment before the file", () => {
    expect(proxiesIn("", { COMPATIBILITY: "cantaloupe" })).toEqual(["a", "b"]);
    expect(proxiesIn("http.max_threads = 8", { COMPATIBILITY: "none" })).toEqual(["a"]);
  });
});

/**
 * Cantaloupe's behaviour where a key is missing (reference 1.9), wherever Vitrine's own default is
 * or may become another.
 */
const fallbacks: Readonly<Record<string, unknown>> = {
  "http.host": "0.0.0.0",
  "http.port": 8182,
  "https.enabled": false,
  "https.port": 8183,
  max_pixels: 0,
  max_scale: 1,
  slash_substitute: "",
  "meta_identifier.transformer.StandardMetaIdentifierTransformer.delimiter": ";",
  log_error_responses: false,
  print_stack_trace_on_error_pages: false,
  "endpoint.iiif.1.enabled": true,
  "endpoint.iiif.2.enabled": true,
  "endpoint.iiif.3.enabled": true,
  "endpoint.iiif.min_size": 64,
  "endpoint.iiif.min_tile_size": 512,
  "endpoint.iiif.restrict_to_sizes": false,
  "endpoint.admin.enabled": false,
  "endpoint.admin.username": "",
  "endpoint.admin.secret": "",
  "endpoint.api.enabled": false,
  "endpoint.api.username": "",
  "endpoint.health.enabled": false,
  "endpoint.health.dependency_check": false,
  "FilesystemSource.BasicLookupStrategy.path_prefix": "",
  "FilesystemSource.BasicLookupStrategy.path_suffix": "",
  "processor.dpi": 150,
  "processor.downscale_filter": "box",
  "processor.upscale_filter": "bicubic",
  "processor.downscale_linear": false,
  "processor.sharpen": 0,
  "processor.jpg.progressive": false,
  "processor.jpg.quality": 80,
  "processor.tif.compression": "LZW",
  "processor.purge_incompatible_from_source_cache": false,
  "cache.client.enabled": false,
  "cache.client.max_age": null,
  "cache.client.shared_max_age": null,
  "cache.client.public": true,
  "cache.client.private": false,
  "cache.client.no_cache": false,
  "cache.client.no_store": false,
  "cache.client.must_revalidate": false,
  "cache.client.proxy_revalidate": false,
  "cache.client.no_transform": false,
  "cache.server.source": "",
  "cache.server.source.ttl_seconds": 0,
  "cache.server.derivative.enabled": false,
  "cache.server.derivative.ttl_seconds": 0,
  "cache.server.purge_missing": false,
  "cache.server.resolve_first": true,
  "cache.server.worker.enabled": false,
  "FilesystemCache.dir.depth": 3,
  "FilesystemCache.dir.name_length": 2,
  "HeapCache.persist": false,
  "JdbcCache.user": "",
  "JdbcCache.connection_timeout": 10,
  "RedisCache.port": 6379,
  "RedisCache.ssl": false,
  "RedisCache.password": "",
  "RedisCache.database": 0,
};

const definitions = definitionsOf(keyGroups);
const read = (text: string, path = "vitrine.properties", env: Environment = {}) =>
  evaluate(definitions, {
    given: {},
    chain: { files: [{ path, properties: parseProperties(text), writable: true }] },
    runtime: new Map(),
    env,
  });

describe("a Cantaloupe configuration", () => {
  it("has Cantaloupe's fallbacks, for missing and blank keys", () => {
    const missing = read("compatibility = cantaloupe").values;
    const blank = read(
      ["compatibility = cantaloupe", ...Object.keys(fallbacks).map((key) => `${key} =`)].join("\n"),
    ).values;
    expect(missing).toMatchObject(fallbacks);
    expect(blank).toMatchObject(fallbacks);
  });

  it("serves plain HTTP unless HTTPS is on, and has a health check where it has an API", () => {
    const { values } = read("temp_pathname =\nhttps.enabled = true\nendpoint.api.enabled = true");
    expect([values["http.enabled"], values["endpoint.health.enabled"]]).toEqual([false, true]);
    expect(read("temp_pathname =").values["http.enabled"]).toBe(true);
  });

  it.each([
    ["/etc/cantaloupe.properties", true],
    ["/etc/Cantaloupe-live.properties", true],
    ["/etc/cantaloupe/vitrine.properties", false],
    ["/etc/cantaloupe.properties.bak", false],
  ])("is recognised by the name %s: %s", (path, expected) => {
    expect(read("http.port = 1", path).compatible !== undefined).toBe(expected);
    expect(read("compatibility = none", path).compatible).toBeUndefined();
  });

  it("has invalid values replaced by the fallback, each reported as an error", () => {
    const bad = [
      "max_pixels = many",
      "cache.client.enabled = yes",
      "processor.jpg.quality = 0",
      "processor.tif.compression = JPEG2000",
      "processor.upscale_filter = gauss",
      "http.port = abc",
    ];
    const { values, problems } = read(["compatibility = cantaloupe", ...bad].join("\n"));
    expect(values).toMatchObject({
      max_pixels: 0,
      "cache.client.enabled": false,
      "processor.jpg.quality": 80,
      "processor.tif.compression": "LZW",
      "processor.upscale_filter": "bicubic",
      "http.port": 8182,
    });
    expect(problems).toHaveLength(bad.length);
    for (const problem of problems)
      expect(problem).toMatchObject({ severity: "warning", givenWay: true, ineffective: true });
    expect(problems.map(({ message }) => message)).toContain(
      'processor.jpg.quality: expected an integer from 1 to 100, got "0" (vitrine.properties:4). 80 holds instead, as in Cantaloupe.',
    );
    const strict = read(bad.join("\n")).problems;
    expect(strict.map(({ severity }) => severity)).toEqual(bad.map(() => "error"));
  });

  it("is rejected for what Vitrine lacks, and for invalid values of keys that Cantaloupe does not have", () => {
    const refused = [
      "S3Source.lookup_strategy = org.example.Strategy",
      "source.static = org.example.Source",
      "source.delegate = yes",
      "delegate_script.enabled = yes",
      "http.trusted_proxies.most = 1\nendpoint.iiif.3.confined_size = maybe",
    ];
    for (const line of refused) {
      const { problems } = read(`compatibility = cantaloupe\n${line}`);
      expect(problems.map(({ severity }) => severity)).toEqual(["error"]);
    }
  });
});
