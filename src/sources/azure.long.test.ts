import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contextOf, sourceContract } from "../../test/contract/source.ts";
import {
  type AzuriteServer,
  azuriteMissing,
  azuriteProgram,
  azuriteSignature,
  startAzurite,
} from "../../test/servers/azurite.ts";
import type { Objects } from "../clients/objects.ts";
import { Config } from "../config/store.ts";
import { silent } from "../core/log.ts";
import type { Source } from "../core/source.ts";
import { azureSource, signedBlobs } from "./azure.ts";
import { azureStore } from "./azure-store.ts";
import { ownRemote } from "./own-remote.ts";
import { remoteSource } from "./remote/source.ts";
import { walkSource } from "./walking.ts";

const program = await azuriteProgram();
const signal = new AbortController().signal;
const bytes = new Uint8Array(100_000).map((_, at) => at & 255);
let server: AzuriteServer;
let blobs: Objects;

const make = (changes: Record<string, unknown> = {}): Source =>
  azureSource.create(
    new Config({ ...server.sourceSettings, ...changes }).view(azureSource.keys),
    silent,
  );

if (program !== undefined) {
  beforeAll(async () => {
    server = await startAzurite(program);
    blobs = await server.open();
    await blobs.put("maps/a.tif", bytes, signal);
  }, 60_000);
  afterAll(async () => {
    blobs?.close();
    await server?.remove();
  });
}

sourceContract(
  "AzureStorageSource",
  program === undefined
    ? { skipped: azuriteMissing }
    : async () => ({
        source: make(),
        stored: { identifier: "maps/a.tif", bytes },
        put: (identifier, content) => blobs.put(identifier, content, signal),
      }),
);

describe.skipIf(program === undefined)(
  `AzureStorageSource${program ? "" : ` (${azuriteMissing})`}`,
  () => {
    const find = (source: Source, identifier: string) =>
      source.find(identifier, contextOf(identifier));
    const prefix = "AzureStorageSource.BasicLookupStrategy.path_prefix";

    it("puts the prefix before the identifier and the suffix after it", async () => {
      const source = make({
        [prefix]: "maps/",
        "AzureStorageSource.BasicLookupStrategy.path_suffix": ".tif",
      });
      expect((await find(source, "a")).size).toBe(bytes.length);
      await expect(find(source, "a.tif")).rejects.toMatchObject({ failure: "missing" });
    });

    it("reports `missing` for a missing container, and that it cannot be reached", async () => {
      const source = make({ "AzureStorageSource.container_name": "nowhere" });
      await expect(find(source, "maps/a.tif")).rejects.toMatchObject({ failure: "missing" });
      await expect(source.reach?.(signal)).rejects.toMatchObject({
        failure: "upstream",
        message: expect.stringContaining("The container 'nowhere' cannot be reached"),
      });
    });

    it("lists a folder of the prefix, by identifiers without the suffix", async () => {
      for (const name of ["maps/b.tif", "maps/c.jpg", "maps/.tif", "maps/old/d.tif"])
        await blobs.put(name, bytes.subarray(0, 7), signal);
      const source = make({
        [prefix]: "maps/",
        "AzureStorageSource.BasicLookupStrategy.path_suffix": ".tif",
      });
      expect(await source.list?.("", { max: 100, signal })).toEqual({
        entries: [
          {
            kind: "object",
            name: "a",
            identifier: "a",
            size: bytes.length,
            lastModified: expect.any(Date),
          },
          expect.objectContaining({ kind: "object", name: "b", identifier: "b", size: 7 }),
          { kind: "folder", name: "old", path: "old" },
        ],
      });
      const identifiers: string[] = [];
      for await (const { identifier } of walkSource(source, { folder: "", signal }))
        identifiers.push(identifier);
      expect(identifiers).toEqual(["a", "b", "old/d"]);
    });

    it("lists nothing if the prefix includes the start of names", async () => {
      expect(await make({ [prefix]: "maps/a" }).list?.("", { max: 10, signal })).toBeUndefined();
    });

    it("reports that a missing container cannot be listed", async () => {
      const source = make({ "AzureStorageSource.container_name": "nowhere" });
      await expect(source.list?.("", { max: 10, signal })).rejects.toMatchObject({
        failure: "missing",
      });
    });

    it("can tell that nothing exists below a prefix", async () => {
      expect(await make({ [prefix]: "nothing/" }).reach?.(signal)).toBe("empty");
    });

    // Azurite says that the request is not allowed; Azure, that the signature is wrong.
    const refusedBy = { failure: expect.stringMatching(/^(?:denied|upstream)$/) };

    it("reads nothing with a wrong key, and reveals no secret", async () => {
      const wrong = Buffer.from("another key").toString("base64");
      const source = make({ "AzureStorageSource.account_key": wrong });
      const refused = await find(source, "maps/a.tif").catch((error: unknown) => error);
      expect(refused).toMatchObject(refusedBy);
      expect(inspect(refused, { depth: 9, showHidden: true })).not.toMatch(/SharedKey |another/);
      await expect(source.reach?.(signal)).rejects.toMatchObject({ failure: "upstream" });
    });

    it("reads with a signature, and does not reveal it if it is invalid", async () => {
      const blank = { "AzureStorageSource.account_key": "" };
      const token = azuriteSignature({ expires: new Date(Date.now() + 3_600_000) });
      const source = make({ ...blank, "AzureStorageSource.sas_token": `?${token}` });
      const reader = await (await find(source, "maps/a.tif")).open();
      expect(await reader.read(99_000, 10)).toEqual(bytes.slice(99_000, 99_010));
      const expired = azuriteSignature({ expires: new Date(Date.now() - 3_600_000) });
      const late = make({ ...blank, "AzureStorageSource.sas_token": expired });
      const refused = await find(late, "maps/a.tif").catch((error: unknown) => error);
      expect(refused).toMatchObject(refusedBy);
      const signature = new URLSearchParams(expired).get("sig") ?? "";
      const told = inspect(refused, { depth: 9, showHidden: true });
      expect(told).not.toContain(signature);
      expect(told).not.toContain(encodeURIComponent(signature));
    });

    it("reads signed addresses from a lookup, and does not reveal them", async () => {
      const token = azuriteSignature({ expires: new Date(Date.now() + 3_600_000) });
      const base = `${server.sourceSettings["AzureStorageSource.endpoint"]}/pictures`;
      const lookup = async (identifier: string) => `${base}/maps/${identifier}?${token}`;
      const store = azureStore(lookup, signedBlobs(8));
      const object = await store.locate("a.tif", contextOf("a.tif"));
      expect(object.place).toBe(`${base}/maps/a.tif`);
      expect(inspect([object.key, object.origin])).not.toContain("sig=");
      const source = remoteSource(store, ownRemote(silent));
      expect((await find(source, "a.tif")).size).toBe(bytes.length);
      await source.close?.();
    });
  },
);

describe("the settings of AzureStorageSource", () => {
  const name = { "AzureStorageSource.container_name": "pictures" };
  it.each([
    [{}, /container_name is blank/],
    [{ ...name, "AzureStorageSource.account_key": "a2V5" }, /needs an account name; it is blank/],
    [
      { ...name, "AzureStorageSource.account_name": "a", "AzureStorageSource.account_key": "!" },
      /account key in base64/,
    ],
    [
      { "AzureStorageSource.container_name": "a--b", "AzureStorageSource.account_name": "a" },
      /container name of 3 to 63/,
    ],
    [{ ...name, "AzureStorageSource.endpoint": "elsewhere" }, /http or https address/],
  ])("are invalid as %j", async (settings, why) => {
    const view = new Config(settings).view(azureSource.keys);
    expect(await azureSource.unusable?.(view())).toMatch(why);
  });

  it("never build an address from an identifier, even without a container", async () => {
    const source = azureSource.create(new Config({}).view(azureSource.keys), silent);
    const address = "https://example.org/pictures/a.tif?sig=x";
    await expect(source.find(address, contextOf(address))).rejects.toMatchObject({
      failure: "internal",
    });
  });
});
