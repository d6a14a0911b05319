import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contextOf, sourceContract } from "../../test/contract/source.ts";
import { fakeDelegate } from "../../test/fake-delegate.ts";
import { azuriteSignature } from "../../test/servers/azurite.ts";
import { type ImagePlace, imagePlaces, imageStatements } from "../../test/servers/images.ts";
import { Config } from "../config/store.ts";
import type { DelegateMethod } from "../core/delegate.ts";
import { silent } from "../core/log.ts";
import type { Source } from "../core/source.ts";
import { createSource } from "./choosing.ts";

type Methods = Parameters<typeof fakeDelegate>[0];
type Settings = Readonly<Record<string, unknown>>;

const bytes = new Uint8Array(100_000).map((_, at) => at & 255);
const signal = new AbortController().signal;
const find = (source: Source, identifier: string) => source.find(identifier, contextOf(identifier));

/** The methods that find an image by its identifier, whatever the kind of source. */
const byIdentifier = (more: Methods = {}): Methods => ({
  s3source_object_info: ({ identifier }) => ({ bucket: "pictures", key: identifier }),
  azurestoragesource_blob_key: ({ identifier }) => identifier,
  jdbcsource_database_identifier: ({ identifier }) => identifier,
  jdbcsource_lookup_sql: () => imageStatements["JdbcSource.lookup_sql"],
  jdbcsource_last_modified: () => imageStatements["JdbcSource.last_modified_sql"],
  ...more,
});

const nullable: readonly DelegateMethod[] = [
  "s3source_object_info",
  "azurestoragesource_blob_key",
  "jdbcsource_database_identifier",
];

for (const { name, source: kind, missing, start } of await imagePlaces()) {
  let place: ImagePlace;
  const sources: Source[] = [];
  const make = (methods: Methods = byIdentifier(), settings: Settings = {}): Source => {
    const config = new Config({
      ...place.settings,
      "delegate_script.enabled": true,
      "source.static": kind,
      [`${kind}.lookup_strategy`]: "ScriptLookupStrategy",
      ...settings,
    });
    const source = createSource(config, silent, fakeDelegate(methods).delegate);
    sources.push(source);
    return source;
  };

  describe(`in ${name}`, () => {
    if (missing === undefined) {
      beforeAll(async () => {
        place = await start();
        await place.put("maps/a.tif", bytes);
      }, 60_000);
      afterAll(async () => {
        for (const source of sources) await source.close?.();
        await place?.remove();
      });
    }

    sourceContract(
      `${kind} with a delegate in ${name}`,
      missing === undefined
        ? async () => ({
            source: make(),
            stored: { identifier: "maps/a.tif", bytes },
            put: (identifier, content) => place.put(identifier, content),
          })
        : { skipped: missing },
    );

    describe.skipIf(missing !== undefined)(
      `${kind} with a delegate${missing ? ` (${missing})` : ""}`,
      () => {
        it("treats null as a missing image, and names a method with an invalid result", async () => {
          const [method = expect.fail()] = nullable.filter((one) =>
            one.startsWith(kind.toLowerCase()),
          );
          await expect(
            find(make(byIdentifier({ [method]: () => null })), "maps/a.tif"),
          ).rejects.toMatchObject({ failure: "missing" });
          await expect(
            find(make(byIdentifier({ [method]: () => 7 })), "maps/a.tif"),
          ).rejects.toMatchObject({
            failure: "internal",
            message: expect.stringContaining(method),
          });
        });

        it("fails if the delegate lacks the method", async () => {
          await expect(find(make({}), "maps/a.tif")).rejects.toMatchObject({
            failure: "internal",
            message: expect.stringContaining(kind.toLowerCase()),
          });
        });

        if (kind === "S3Source")
          it("reads with the delegate's service and credentials, and shares nothing between them", async () => {
            const service = {
              endpoint: place.settings["S3Source.endpoint"],
              region: "us-east-1",
              access_key_id: place.settings["S3Source.access_key_id"],
              secret_access_key: place.settings["S3Source.secret_key"],
            };
            const object = { bucket: "pictures", key: "maps/a.tif" };
            const answers: Readonly<Record<string, unknown>> = {
              right: { ...object, ...service },
              wrong: { ...object, ...service, secret_access_key: "quite-another" },
            };
            const source = make(
              { s3source_object_info: ({ identifier }) => answers[String(identifier)] },
              { "S3Source.endpoint": "http://127.0.0.1:9", "S3Source.secret_key": "configured" },
            );
            const reader = await (await find(source, "right")).open();
            expect(await reader.read(99_000, 10)).toEqual(bytes.slice(99_000, 99_010));
            const refused = await find(source, "wrong").catch((error: unknown) => error);
            expect(refused).toMatchObject({ failure: "upstream" });
            expect(inspect(refused, { depth: 9 })).not.toContain("quite-another");
          });

        if (kind === "AzureStorageSource")
          it("reads whole signed addresses without a container", async () => {
            const base = `${place.settings["AzureStorageSource.endpoint"]}/pictures`;
            const hour = 3_600_000;
            const signature = (ms: number) =>
              azuriteSignature({ expires: new Date(Date.now() + ms) });
            const answers: Readonly<Record<string, string>> = {
              signed: `${base}/maps/a.tif?${signature(hour)}`,
              expired: `${base}/maps/a.tif?${signature(-hour)}`,
              climbing: `${base}/../pictures/maps/a.tif?${signature(hour)}`,
              "a name": "maps/a.tif",
            };
            const source = make(
              { azurestoragesource_blob_key: ({ identifier }) => answers[String(identifier)] },
              { "AzureStorageSource.container_name": "" },
            );
            expect((await find(source, "signed")).size).toBe(bytes.length);
            await expect(find(source, "expired")).rejects.toMatchObject({
              failure: expect.stringMatching(/^(?:denied|upstream)$/),
            });
            await expect(find(source, "climbing")).rejects.toMatchObject({ failure: "missing" });
            await expect(find(source, "a name")).rejects.toMatchObject({
              failure: "internal",
              message: expect.stringContaining("container_name is blank"),
            });
          });

        if (kind === "JdbcSource") {
          it("accepts a date, nothing, or no method for the modification time", async () => {
            const dated = await find(
              make(byIdentifier({ jdbcsource_last_modified: () => "2024-05-06T07:08:09Z" })),
              "maps/a.tif",
            );
            expect(dated.lastModified).toEqual(new Date("2024-05-06T07:08:09Z"));
            const none = await find(
              make(byIdentifier({ jdbcsource_last_modified: () => null })),
              "maps/a.tif",
            );
            expect([none.size, none.lastModified]).toEqual([bytes.length, undefined]);
            const { jdbcsource_last_modified: _, ...others } = byIdentifier();
            expect((await find(make(others), "maps/a.tif")).size).toBe(bytes.length);
            await expect(
              find(make(byIdentifier({ jdbcsource_last_modified: () => "lately" })), "maps/a.tif"),
            ).rejects.toMatchObject({
              failure: "internal",
              message: expect.stringContaining("jdbcsource_last_modified"),
            });
          });

          it("never requests the media type, and accepts only a SELECT with a placeholder for the identifier", async () => {
            const media = byIdentifier({
              jdbcsource_media_type: () => expect.fail("was asked"),
            });
            expect((await find(make(media), "maps/a.tif")).size).toBe(bytes.length);
            for (const wrong of ["DELETE FROM images WHERE name = ?", "SELECT data FROM images"])
              await expect(
                find(make(byIdentifier({ jdbcsource_lookup_sql: () => wrong })), "maps/a.tif"),
              ).rejects.toMatchObject({
                failure: "internal",
                message: expect.stringContaining("jdbcsource_lookup_sql"),
              });
          });

          it("can tell whether the database responds", async () => {
            expect(await make().reach?.(signal)).toBe("there");
          });
        }
      },
    );
  });
}
