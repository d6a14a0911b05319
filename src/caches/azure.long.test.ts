import { setMaxListeners } from "node:events";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storeContract } from "../../test/contract/store.ts";
import {
  type AzuriteServer,
  azuriteMissing,
  azuriteProgram,
  startAzurite,
} from "../../test/servers/azurite.ts";
import { proxyTo } from "../../test/servers/proxy.ts";
import { type AzureSettings, openAzure } from "../clients/azure.ts";
import type { Objects } from "../clients/objects.ts";
import { Config } from "../config/store.ts";
import { azure } from "./azure.ts";
import { objectStore } from "./objects.ts";

const program = await azuriteProgram();

storeContract(
  "AzureStorageCache",
  program === undefined
    ? { skipped: azuriteMissing }
    : async () => {
        const server = await startAzurite(program);
        return {
          open: (context) => azure.open(new Config(server.settings), context),
          remove: server.remove,
        };
      },
);

describe.skipIf(program === undefined)(
  `AzureStorageCache${program ? "" : ` (${azuriteMissing})`}`,
  () => {
    let server: AzuriteServer;
    const signal = new AbortController().signal;
    setMaxListeners(0, signal);
    const hex = (n: number): string => n.toString(16).padStart(32, "0");
    const image = (n: number): string => `image/${hex(1)}/${hex(n)}`;
    const blobs = (given: Partial<AzureSettings> = {}): Promise<Objects> =>
      openAzure({
        endpoint: server.settings["AzureStorageCache.endpoint"] ?? "",
        accountName: server.settings["AzureStorageCache.account_name"] ?? "",
        accountKey: server.settings["AzureStorageCache.account_key"] ?? "",
        container: "others",
        purpose: "AzureStorageCache",
        ...given,
      });

    beforeAll(async () => {
      server = await startAzurite(program ?? "");
    });
    afterAll(() => server?.remove());

    it("has nothing and removes nothing where there is no container yet, and creates it on the first write", async () => {
      const store = objectStore(await blobs({ container: "fresh" }), { prefix: "" });
      expect(await store.get(image(1), signal)).toBeUndefined();
      expect(await store.remove("", signal)).toBe(0);
      expect(await store.stats(signal)).toEqual({ entries: 0, bytes: 0 });
      await Promise.all([1, 2, 3].map((n) => store.put(image(n), new Uint8Array(n), signal)));
      expect(await store.stats(signal)).toEqual({ entries: 3, bytes: 6 });
      await store.close();
    });

    it("ignores objects that are not entries, also without a prefix", async () => {
      const objects = await blobs();
      const store = objectStore(await blobs(), { prefix: "" });
      const foreign = ["map.tif", "image/map.tif", `${image(1)}.jpg`, `kept/${image(1)}`, "info/a"];
      for (const key of foreign) await objects.put(key, new Uint8Array(3), signal);
      await store.put(image(1), new Uint8Array(3), signal);
      const before = new Date(Date.now() + 86_400_000);
      expect(
        (await store.sweep({ before, bounds: { bytes: 1, entries: 1 } }, signal)).entries,
      ).toBe(1);
      expect(await store.remove("", signal)).toBe(0);
      for (const key of foreign) expect(await objects.get(key, signal), key).toBeDefined();
      await store.close();
      objects.close();
    });

    it("stores what is larger than a block in blocks, whole or not at all", async () => {
      const store = objectStore(await blobs(), { prefix: "large/" });
      const body = Uint8Array.from({ length: 18_000_001 }, (_, at) => (at * 7) & 255);
      await store.put(image(1), body, signal);
      const kept = await store.get(image(1), signal);
      expect(kept && Buffer.compare(kept.bytes, body)).toBe(0);
      const leaving = new AbortController();
      const put = store.put(image(2), body, leaving.signal);
      setTimeout(() => leaving.abort(new Error("left")), 40);
      await put.catch(() => {});
      const half = await store.get(image(2), signal);
      expect(half === undefined || half.bytes.length === body.length).toBe(true);
      await store.close();
    });

    it("removes one by one where the service has no batch removal", async () => {
      let refused = 0;
      const proxy = await proxyTo(server.port, ({ method, url }) => {
        const isBatch = method === "POST" && url.includes("comp=batch");
        if (isBatch) refused++;
        return isBatch ? 501 : undefined;
      });
      const path = new URL(server.settings["AzureStorageCache.endpoint"] ?? "").pathname;
      const store = objectStore(await blobs({ endpoint: proxy.base + path }), {
        prefix: "single/",
      });
      for (let n = 0; n < 20; n++) await store.put(image(n), new Uint8Array(1), signal);
      expect(await store.remove(`image/${hex(1)}/`, signal)).toBe(20);
      expect(refused).toBeGreaterThan(0);
      expect((await store.stats(signal)).entries).toBe(0);
      await store.close();
      await proxy.close();
    });

    it("reports what was expected and what came, without its key", async () => {
      const wrong = Buffer.from("another key").toString("base64");
      const store = objectStore(await blobs({ accountKey: wrong }), { prefix: "" });
      const refused = await store
        .put(image(1), new Uint8Array(1), signal)
        .catch((error: unknown) => error);
      expect(refused).toMatchObject({
        failure: "upstream",
        message: expect.stringMatching(
          /^AzureStorageCache expected the container others to write image\/.*; got \w+$/,
        ),
      });
      expect(inspect(refused, { depth: 9, showHidden: true })).not.toMatch(
        /SharedKey |another key/,
      );
      await store.close();
    });
  },
);
