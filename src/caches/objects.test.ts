import { setMaxListeners } from "node:events";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { proxyTo } from "../../test/servers/proxy.ts";
import { type S3Server, s3Missing, s3Program, startS3 } from "../../test/servers/s3.ts";
import type { Objects } from "../clients/objects.ts";
import { openS3, type S3Settings } from "../clients/s3.ts";
import { keyPrefix, objectStore } from "./objects.ts";
import type { Store } from "./store.ts";

const hex = (n: number): string => n.toString(16).padStart(32, "0");
const signal = new AbortController().signal;
setMaxListeners(0, signal);
const program = await s3Program();
const day = 86_400_000;

it("removing reports what could not be removed, including the last page", async () => {
  const objects: Objects = {
    get: async () => undefined,
    put: async () => {},
    touch: async () => {},
    async *list() {
      const key = `info/${hex(1)}`;
      yield { objects: [{ key, bytes: 1, modifiedAt: new Date(0) }], more: false };
    },
    remove: () => Promise.reject(new Error("away")),
    close: () => {},
  };
  const store = objectStore(objects, { prefix: "" });
  await expect(store.remove("info/", signal)).rejects.toThrow("away");
  const sweep = { before: new Date(), bounds: { bytes: 0, entries: 0 } };
  await expect(store.sweep(sweep, signal)).rejects.toThrow("away");
});

describe.skipIf(program === undefined)(
  `a store of objects${program ? "" : ` (${s3Missing})`}`,
  () => {
    let server: S3Server;
    const settings = (given: Partial<S3Settings> = {}): S3Settings => ({
      endpoint: `http://127.0.0.1:${server.port}`,
      region: "",
      accessKeyId: server.settings["S3Cache.access_key_id"] ?? "",
      secretKey: server.settings["S3Cache.secret_key"] ?? "",
      bucket: server.settings["S3Cache.bucket.name"] ?? "",
      purpose: "S3Cache",
      ...given,
    });
    const storeOf = async (
      prefix: string,
      { now, ...given }: Partial<S3Settings> & { readonly now?: () => Date } = {},
    ): Promise<Store> =>
      objectStore(await openS3(settings(given)), {
        prefix: keyPrefix(prefix),
        ...(now ? { now } : {}),
      });

    beforeAll(async () => {
      server = await startS3(program ?? "");
    });
    afterAll(() => server?.remove());

    it.each(["", "/", "pictures", "/a/b/"])(
      "removes nothing but entries below the prefix '%s'",
      async (prefix) => {
        const objects = await openS3(settings());
        const store = await storeOf(prefix);
        const own = keyPrefix(prefix);
        const foreign = [
          ...[`${own}originals/map.tif`, `${own}image/map.tif`, `${own}info/${hex(1)}.json`],
          ...[`${own}image/${hex(1)}/${hex(2)}.jpg`, `else/image/${hex(1)}/${hex(2)}`],
          ...[`${own}image/${hex(1)}/deep/${hex(3)}`, `image-${own}${hex(1)}`],
        ];
        for (const key of foreign) await objects.put(key, new Uint8Array(5), signal);
        await store.put(`image/${hex(1)}/${hex(2)}`, new Uint8Array(5), signal);
        await store.put(`info/${hex(1)}`, new Uint8Array(5), signal);
        expect(await store.stats(signal)).toEqual({ entries: 2, bytes: 10 });
        const later = await storeOf(prefix, { now: () => new Date(Date.now() + 2 * day) });
        const all = { before: new Date(Date.now() + day), bounds: { bytes: 1, entries: 1 } };
        expect(await later.sweep(all, signal)).toEqual({ entries: 2, bytes: 10 });
        await store.put(`image/${hex(1)}/${hex(2)}`, new Uint8Array(5), signal);
        expect(await store.remove(`image/${hex(1)}/`, signal)).toBe(1);
        expect(await store.remove("", signal)).toBe(0);
        for (const key of foreign) {
          expect(await objects.get(key, signal), key).toBeDefined();
          await objects.remove([key], signal);
        }
        for (const one of [store, later]) await one.close();
        objects.close();
      },
    );

    it("lists and removes more than one page of entries", async () => {
      const store = await storeOf("many");
      const names = Array.from({ length: 1_203 }, (_, n) => `image/${hex(5)}/${hex(n)}`);
      for (let at = 0; at < names.length; at += 40)
        await Promise.all(
          names.slice(at, at + 40).map((name) => store.put(name, new Uint8Array(1), signal)),
        );
      expect((await store.stats(signal)).entries).toBe(1_203);
      expect(await store.stats(signal, `image/${hex(5)}/`)).toEqual({
        entries: 1_203,
        bytes: 1_203,
      });
      const bounds = { bytes: 0, entries: 1_100 };
      expect((await store.sweep({ bounds }, signal)).entries).toBe(103);
      expect(await store.remove("", signal)).toBe(1_100);
      await store.close();
    }, 60_000);

    it("stores large objects in parts, and leaves nothing of aborted ones", async () => {
      const store = await storeOf("large");
      const body = Uint8Array.from({ length: 18_000_001 }, (_, at) => (at * 7) & 255);
      const name = `image/${hex(6)}/${hex(1)}`;
      await store.put(name, body, signal);
      const kept = await store.get(name, signal);
      expect(kept && Buffer.compare(kept.bytes, body)).toBe(0);

      const leaving = new AbortController();
      const cut = `image/${hex(6)}/${hex(2)}`;
      const put = store.put(cut, body, leaving.signal);
      setTimeout(() => leaving.abort(new Error("left")), 60);
      await put.catch(() => {});
      const half = await store.get(cut, signal);
      expect(half === undefined || half.bytes.length === body.length).toBe(true);
      expect(await unfinished("large/")).toEqual([]);
      await store.close();
    }, 60_000);

    it("aborts uploads below its prefix that were unfinished for a day", async () => {
      const mine = `abandoned/image/${hex(7)}/${hex(1)}`;
      for (const key of [mine, `else/image/${hex(7)}/${hex(1)}`, "abandoned/image/film.tif"])
        await beginUpload(key);
      const store = await storeOf("abandoned");
      await store.sweep({ bounds: { bytes: 0, entries: 0 } }, signal);
      expect(await unfinished("abandoned/image/0")).toEqual([mine]);
      const later = await storeOf("abandoned", { now: () => new Date(Date.now() + 2 * day) });
      await later.sweep({ bounds: { bytes: 0, entries: 0 } }, signal);
      expect(await unfinished("")).toEqual([
        "abandoned/image/film.tif",
        `else/image/${hex(7)}/${hex(1)}`,
      ]);
      for (const one of [store, later]) await one.close();
    });

    it("removes one by one where the service has no batch removal", async () => {
      let refused = 0;
      const proxy = await proxyTo(server.port, ({ method, url }) => {
        const isBatch = method === "POST" && /\?delete\b/.test(url);
        if (isBatch) refused++;
        return isBatch ? 501 : undefined;
      });
      const store = await storeOf("single", { endpoint: proxy.base });
      for (let n = 0; n < 30; n++)
        await store.put(`image/${hex(8)}/${hex(n)}`, new Uint8Array(1), signal);
      expect(await store.remove(`image/${hex(8)}/`, signal)).toBe(30);
      for (let n = 0; n < 3; n++)
        await store.put(`image/${hex(8)}/${hex(n)}`, new Uint8Array(1), signal);
      expect(await store.remove("", signal)).toBe(3);
      expect(refused).toBeGreaterThan(0);
      const before = refused;
      await store.remove("", signal);
      expect(refused).toBe(before);
      expect((await store.stats(signal)).entries).toBe(0);
      await store.close();
      await proxy.close();
    });

    it("fails while the service is down, and recovers", async () => {
      const store = await storeOf("away");
      const name = `image/${hex(10)}/${hex(1)}`;
      await store.put(name, new Uint8Array(7), signal);
      await server.kill();
      await expect(store.get(name, signal)).rejects.toMatchObject({ failure: "upstream" });
      await expect(store.remove("", signal)).rejects.toMatchObject({ failure: "upstream" });
      await server.restart();
      expect((await store.get(name, signal))?.bytes.length).toBe(7);
      expect(await store.remove("", signal)).toBe(1);
      await store.close();
    });

    it("reports what was expected and what came where the service fails", async () => {
      const name = `info/${hex(9)}`;
      const nowhere = await storeOf("", { bucket: "nowhere" });
      for (const ask of [
        () => nowhere.get(name, signal),
        () => nowhere.put(name, new Uint8Array(1), signal),
        () => nowhere.stats(signal),
        () => nowhere.remove("", signal),
      ])
        await expect(ask()).rejects.toMatchObject({
          failure: "upstream",
          message: expect.stringMatching(/S3Cache expected the bucket nowhere to .*NoSuchBucket/),
        });
      await nowhere.close();
      const stranger = await storeOf("", { secretKey: "wrong" });
      const refused = await stranger.get(name, signal).catch((error: unknown) => error);
      expect(refused).toMatchObject({ failure: "upstream" });
      // Libraries attach requests to their errors, including signatures.
      expect(inspect(refused, { depth: 9, showHidden: true })).not.toContain("AWS4-HMAC");
      await stranger.close();
    });

    const unfinished = async (prefix: string): Promise<readonly string[]> => {
      const keys: string[] = [];
      const objects = await openS3(settings());
      await objects.giveUpUploads?.(
        {
          prefix,
          before: new Date(Date.now() + day),
          ours: (key) => {
            keys.push(key);
            return false;
          },
        },
        signal,
      );
      objects.close();
      return keys.sort();
    };

    /** Begins a multipart upload as a process does that dies at once. */
    const beginUpload = async (key: string): Promise<void> => {
      const { S3Client, CreateMultipartUploadCommand } = await import("@aws-sdk/client-s3");
      const { endpoint, bucket, accessKeyId, secretKey } = settings();
      const client = new S3Client({
        ...{ endpoint, region: "us-east-1", forcePathStyle: true },
        credentials: { accessKeyId, secretAccessKey: secretKey },
      });
      await client.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key: key }));
      client.destroy();
    };
  },
);
