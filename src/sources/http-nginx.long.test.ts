import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contextOf, sourceContract } from "../../test/contract/source.ts";
import { remoteSettings } from "../../test/memory-store.ts";
import type { Database } from "../../test/servers/database.ts";
import { noNginx, startNginx } from "../../test/servers/nginx.ts";
import { Config } from "../config/store.ts";
import type { Source } from "../core/source.ts";
import { http } from "./http.ts";
import { createRemote } from "./remote/remote.ts";

const bytes = Uint8Array.from({ length: 150_001 }, (_, index) => (index * 7) % 251);
const name = "a map.tif";
const sources: Source[] = [];
let nginx: Database;

const make = (folder = ""): Source => {
  const config = new Config({
    "HttpSource.BasicLookupStrategy.url_prefix": `http://127.0.0.1:${nginx.port}/${folder}`,
  });
  const remote = createRemote(() => remoteSettings);
  const source = http.create(config.view(http.keys), undefined, remote);
  sources.push(source);
  return source;
};

describe.skipIf(noNginx !== undefined)(
  `HttpSource of nginx${noNginx ? ` (${noNginx})` : ""}`,
  () => {
    beforeAll(async () => {
      nginx = await startNginx({ [name]: bytes, "empty.tif": new Uint8Array(0) });
    }, 60_000);

    afterAll(async () => {
      for (const source of sources) await source.close?.();
      await nginx?.remove();
    });

    sourceContract("nginx", async () => ({ source: make(), stored: { identifier: name, bytes } }));

    it("reads by ranges, also through redirects, and reports a location that has none", async () => {
      for (const [folder, byRanges] of [
        ["", true],
        ["moved/", true],
        ["whole/", undefined],
      ] as const) {
        const object = await make(folder).find(name, contextOf(name));
        expect([folder, object.byRanges, object.size]).toEqual([folder, byRanges, bytes.length]);
      }
    });

    it("reports forbidden files, and finds empty ones", async () => {
      const forbidden = make().find("forbidden", contextOf("forbidden"));
      await expect(forbidden).rejects.toMatchObject({ failure: "denied" });
      expect((await make().find("empty.tif", contextOf("empty.tif"))).size).toBe(0);
    });
  },
);
