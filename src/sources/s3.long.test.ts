import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contextOf, sourceContract } from "../../test/contract/source.ts";
import { proxyTo } from "../../test/servers/proxy.ts";
import { type S3Server, s3Missing, s3Program, startS3 } from "../../test/servers/s3.ts";
import type { Objects } from "../clients/objects.ts";
import { Config } from "../config/store.ts";
import { type Logger, silent } from "../core/log.ts";
import type { Source } from "../core/source.ts";
import { s3Source } from "./s3.ts";
import { createS3Clients } from "./s3-clients.ts";
import { walkSource } from "./walking.ts";

const program = await s3Program();
const signal = new AbortController().signal;
const bytes = new Uint8Array(100_000).map((_, at) => at & 255);
let server: S3Server;
let objects: Objects;

const settingsWith = (changes: Record<string, unknown> = {}) =>
  new Config({ ...server?.sourceSettings, ...changes }).view(s3Source.keys);
const make = (changes: Record<string, unknown> = {}, log: Logger = silent): Source =>
  s3Source.create(settingsWith(changes), log);

const unlessSkipped = describe.skipIf(program === undefined);

if (program !== undefined) {
  beforeAll(async () => {
    server = await startS3(program);
    objects = await server.open();
    await objects.put("maps/a.tif", bytes, signal);
  }, 60_000);
  afterAll(async () => {
    objects?.close();
    await server?.remove();
  });
}

sourceContract(
  "S3Source",
  program === undefined
    ? { skipped: s3Missing }
    : async () => ({
        source: make(),
        stored: { identifier: "maps/a.tif", bytes },
        put: (identifier, content) => objects.put(identifier, content, signal),
      }),
);

unlessSkipped(`S3Source${program ? "" : ` (${s3Missing})`}`, () => {
  const find = (source: Source, identifier: string) =>
    source.find(identifier, contextOf(identifier));

  it("puts the prefix before the identifier and the suffix after it", async () => {
    const source = make({
      "S3Source.BasicLookupStrategy.path_prefix": "maps/",
      "S3Source.BasicLookupStrategy.path_suffix": ".tif",
    });
    expect((await find(source, "a")).size).toBe(bytes.length);
    await expect(find(source, "a.tif")).rejects.toMatchObject({ failure: "missing" });
  });

  it("reports `missing` for a missing bucket, and that it cannot be reached", async () => {
    const source = make({ "S3Source.BasicLookupStrategy.bucket.name": "nowhere" });
    await expect(find(source, "maps/a.tif")).rejects.toMatchObject({ failure: "missing" });
    await expect(source.reach?.(signal)).rejects.toMatchObject({
      failure: "upstream",
      message: expect.stringContaining("The bucket 'nowhere' cannot be reached: NoSuchBucket"),
    });
  });

  it("can tell that nothing exists below a prefix", async () => {
    const prefix = { "S3Source.BasicLookupStrategy.path_prefix": "nothing/" };
    expect(await make(prefix).reach?.(signal)).toBe("empty");
  });

  it("lists a folder of the prefix, by identifiers without the suffix", async () => {
    for (const key of ["maps/", "maps/b.tif", "maps/c.jpg", "maps/.tif", "maps/old/d.tif"])
      await objects.put(key, key.endsWith("/") ? new Uint8Array(0) : bytes.subarray(0, 7), signal);
    const source = make({
      "S3Source.BasicLookupStrategy.path_prefix": "maps/",
      "S3Source.BasicLookupStrategy.path_suffix": ".tif",
    });
    expect(await source.list?.("", { max: 100, signal })).toEqual({
      entries: [
        expect.objectContaining({ kind: "object", name: "a", identifier: "a", size: bytes.length }),
        {
          kind: "object",
          name: "b",
          identifier: "b",
          size: 7,
          lastModified: expect.any(Date),
        },
        { kind: "folder", name: "old", path: "old" },
      ],
    });
    expect((await find(source, "b")).size).toBe(7);
    const identifiers: string[] = [];
    for await (const { identifier } of walkSource(source, { folder: "", signal }))
      identifiers.push(identifier);
    expect(identifiers).toEqual(["a", "b", "old/d"]);
  });

  it("lists nothing if the prefix includes the start of names", async () => {
    const source = make({ "S3Source.BasicLookupStrategy.path_prefix": "maps/a" });
    expect(await source.list?.("", { max: 10, signal })).toBeUndefined();
  });

  it("reports why a bucket cannot be listed, and stops requests to one that keeps failing", async () => {
    const missing = make({ "S3Source.BasicLookupStrategy.bucket.name": "nowhere" });
    await expect(missing.list?.("", { max: 10, signal })).rejects.toMatchObject({
      failure: "missing",
    });
    let status = 403;
    const proxy = await proxyTo(server.port, () => status);
    const source = make({ "S3Source.endpoint": proxy.base });
    await expect(source.list?.("", { max: 10, signal })).rejects.toMatchObject({
      failure: "denied",
      message: expect.stringContaining("s3:ListBucket"),
    });
    status = 500;
    for (let n = 0; n < 4; n++)
      await expect(source.list?.("", { max: 10, signal })).rejects.toMatchObject({
        failure: "upstream",
      });
    expect(source.origins?.()).toMatchObject([{ breaker: "open", failures: 10 }]);
    await source.close?.();
    await proxy.close();
  });

  it("treats wrong credentials as a storage failure, and reveals no secret", async () => {
    const source = make({ "S3Source.secret_key": "quite-another" });
    const refused = await find(source, "maps/a.tif").catch((error: unknown) => error);
    expect(refused).toMatchObject({ failure: "upstream" });
    expect(inspect(refused, { depth: 9, showHidden: true })).not.toMatch(
      /quite-another|Credential=/,
    );
  });

  it("warns once about forbidden objects, and that they may be missing", async () => {
    const proxy = await proxyTo(server.port, ({ url }) =>
      url.includes("secret") ? 403 : undefined,
    );
    const warnings: string[] = [];
    const source = make(
      { "S3Source.endpoint": proxy.base },
      { ...silent, warn: (message) => warnings.push(message) },
    );
    for (let n = 0; n < 3; n++)
      await expect(find(source, `secret${n}.tif`)).rejects.toMatchObject({ failure: "denied" });
    expect(warnings).toEqual([expect.stringMatching(/Without the permission s3:ListBucket/)]);
    await source.close?.();
    await proxy.close();
  });

  it("requests ranges with the object's ETag, each only once", async () => {
    const asked: string[] = [];
    const proxy = await proxyTo(server.port, ({ method, url, headers }) => {
      asked.push(
        `${method} ${url.split("?")[0]} ${headers.range ?? ""} ${headers["if-match"] ? "if" : ""}`,
      );
      return undefined;
    });
    await objects.put("asked.tif", new Uint8Array(200_000), signal);
    const source = make({ "S3Source.endpoint": proxy.base });
    const reader = await (await find(source, "asked.tif")).open();
    await reader.read(0, 1_000);
    await reader.read(150_000, 10);
    expect(asked).toEqual([
      "GET /pictures/asked.tif bytes=0-65535 ",
      "GET /pictures/asked.tif bytes=131072-163839 if",
    ]);
    await source.close?.();
    await proxy.close();
  });
});

describe("the settings of S3Source", () => {
  it.each([
    [{}, /bucket.name is blank/],
    [{ bucket: "b", id: "a" }, /both access key id and secret key, or neither; got one/],
    [{ bucket: "b", id: "a", secret: "b", endpoint: "ftp://there" }, /http or https address/],
  ])(
    "are invalid as %j",
    async ({ bucket = "", id = "", secret = "", endpoint = "" }: Record<string, string>, why) => {
      const settings = new Config({
        "S3Source.BasicLookupStrategy.bucket.name": bucket,
        "S3Source.access_key_id": id,
        "S3Source.secret_key": secret,
        "S3Source.endpoint": endpoint,
      }).view(s3Source.keys)();
      expect(await s3Source.unusable?.(settings)).toMatch(why);
    },
  );

  it("share one client per service, region and credentials", async () => {
    const clients = createS3Clients(() => ({}));
    const service = {
      endpoint: "http://127.0.0.1:1",
      region: "",
      accessKeyId: "a",
      secretKey: "b",
      purpose: "S3Source",
    };
    const first = await clients.of(service);
    expect(await clients.of({ ...service })).toBe(first);
    for (const other of [
      { secretKey: "c" },
      { region: "eu-1" },
      { endpoint: "http://127.0.0.1:2" },
    ])
      expect(await clients.of({ ...service, ...other })).not.toBe(first);
    expect(first.origin).toBe("http://127.0.0.1:1");
    await clients.close();
  });
});
