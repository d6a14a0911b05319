import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import {
  listedIn,
  nameOf,
  putPyramid,
  pyramidStoreContract,
} from "../../test/contract/pyramid-store.ts";
import { azuriteMissing, azuriteProgram, startAzurite } from "../../test/servers/azurite.ts";
import { type S3Server, s3Missing, s3Program, startS3 } from "../../test/servers/s3.ts";
import { Config } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import { remoteKeys } from "../sources/remote/keys.ts";
import { createRemote } from "../sources/remote/remote.ts";
import type { PyramidStore } from "./store.ts";
import { openObjectStore } from "./stores.ts";

const { signal } = new AbortController();

/** Opens a store as another server would: nothing in memory is shared. */
const openedWith =
  (values: Readonly<Record<string, unknown>>) => async (): Promise<PyramidStore> => {
    const config = new Config(values);
    const remote = createRemote(config.view(remoteKeys));
    const store = await openObjectStore(config, remote);
    if (store === undefined) throw new Error("Expected a store of objects.");
    onTestFinished(() => store.close());
    return store;
  };

const s3 = await s3Program();
const azurite = await azuriteProgram();

/** Ends the servers that a group of tests shares. */
const running: { remove(): Promise<void> }[] = [];
afterAll(async () => {
  for (const server of running) await server.remove();
});

/** Starts a server for all tests that ask for it. */
const shared = <T extends { remove(): Promise<void> }>(start: () => Promise<T>) => {
  let started: Promise<T> | undefined;
  return async (): Promise<T> => {
    started ??= start();
    const server = await started;
    if (!running.includes(server)) running.push(server);
    return server;
  };
};

const s3Server = shared(() => startS3(s3 ?? ""));
const azureServer = shared(() => startAzurite(azurite ?? ""));

let places = 0;
/** A prefix that no other test uses. */
const prefix = (): string => `/test ${++places}/`;

const openS3 = async (server: S3Server) =>
  openedWith({ ...server.pyramidSettings, "pyramids.S3.object_key_prefix": prefix() });

pyramidStoreContract(
  "S3",
  s3 === undefined ? { skipped: s3Missing } : async () => openS3(await s3Server()),
);

pyramidStoreContract(
  "Azure Storage",
  azurite === undefined
    ? { skipped: azuriteMissing }
    : async () => {
        const { pyramidSettings } = await azureServer();
        const key = "pyramids.AzureStorage.object_key_prefix";
        return openedWith({ ...pyramidSettings, [key]: prefix() });
      },
);

describe.skipIf(s3 === undefined)(`a bucket of pyramids${s3 ? "" : ` (${s3Missing})`}`, () => {
  it("stores files in several parts", async () => {
    const open = await openS3(await s3Server());
    const name = await putPyramid(await open(), "large", { bytes: 20_000_003 });
    const found = await (await open()).look(name, signal);
    if (found?.kind !== "ready") throw new Error("Expected a pyramid.");
    const reader = await found.pyramid.object.open(signal);
    expect(reader.size).toBe(20_000_003);
    const middle = await reader.read(8_388_600, 20, signal);
    const expected = Buffer.alloc(20_000_003, "large").subarray(8_388_600, 8_388_620);
    expect(Buffer.from(middle)).toEqual(expected);
    await reader.close();
  });

  it("keeps all other objects", async () => {
    const server = await s3Server();
    const objects = await server.open();
    onTestFinished(() => objects.close());
    const others = ["theirs/pyramid/notes.txt", "theirs/image/0/0", `theirs/${nameOf("a")}.tif`];
    for (const key of others) await objects.put(key, Buffer.from("theirs"), signal);
    const place = { ...server.pyramidSettings, "pyramids.S3.object_key_prefix": "theirs" };
    const store = await openedWith(place)();
    await putPyramid(store, "a");
    await store.sweep({ maxBytes: 0, ttlMs: 0, signal });
    await store.remove(undefined, signal);
    expect(await listedIn(store)).toEqual([]);
    for (const key of others) expect(await objects.get(key, signal)).toBeDefined();
  });

  it("fails if it is unreachable, instead of appearing empty", async () => {
    const server = await startS3(s3 ?? "");
    const store = await (await openS3(server))();
    const name = await putPyramid(store, "a");
    await server.remove();
    await expect(store.look(name, signal)).rejects.toBeInstanceOf(ServerError);
  });
});
