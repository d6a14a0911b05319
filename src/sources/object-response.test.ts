import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contextOf } from "../../test/contract/source.ts";
import { Config } from "../config/store.ts";
import { silent } from "../core/log.ts";
import type { Source } from "../core/source.ts";
import { azureSource } from "./azure.ts";
import { remoteKeys } from "./remote/keys.ts";
import { createRemote } from "./remote/remote.ts";
import { s3Source } from "./s3.ts";

let asked = 0;
/** A service whose responses break off in the middle of every object. */
const server = createServer((_, response) => {
  asked++;
  response.writeHead(206, {
    "content-length": 65_536,
    "content-range": "bytes 0-65535/100000",
    etag: '"one"',
  });
  response.write(Buffer.alloc(1_000), () => setTimeout(() => response.destroy(), 10));
});
let endpoint = "";

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  endpoint = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const remote = () => createRemote(new Config({ "source.attempts": 2 }).view(remoteKeys));

const sources: readonly (readonly [string, () => Source])[] = [
  [
    "S3Source",
    () =>
      s3Source.create(
        new Config({
          "S3Source.endpoint": endpoint,
          "S3Source.access_key_id": "a",
          "S3Source.secret_key": "b",
          "S3Source.BasicLookupStrategy.bucket.name": "c",
        }).view(s3Source.keys),
        silent,
        remote(),
      ),
  ],
  [
    "AzureStorageSource",
    () =>
      azureSource.create(
        new Config({
          "AzureStorageSource.endpoint": `${endpoint}/account`,
          "AzureStorageSource.account_name": "account",
          "AzureStorageSource.account_key": "a2V5",
          "AzureStorageSource.container_name": "pictures",
        }).view(azureSource.keys),
        silent,
        remote(),
      ),
  ],
];

describe.each(sources)("a truncated response of %s", (_, make) => {
  it("is requested again, and finally a storage failure", async () => {
    asked = 0;
    const source = make();
    await expect(source.find("a.tif", contextOf("a.tif"))).rejects.toMatchObject({
      failure: "upstream",
    });
    expect(asked).toBe(2);
    await source.close?.();
  });
});
