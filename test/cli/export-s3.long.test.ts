import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HeadObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { asImage, drawGrid } from "../e2e/grid.ts";
import { type S3Server, s3Missing, s3Program, startS3 } from "../servers/s3.ts";
import { runExport } from "./exporting.ts";

const program = await s3Program();
if (program === undefined) console.warn(`The test of exports to S3 is skipped: ${s3Missing}`);

describe.skipIf(program === undefined)("vitrine export to S3", () => {
  let server: S3Server;
  let folder: string;

  beforeAll(async () => {
    server = await startS3(program ?? "");
    folder = await mkdtemp(join(tmpdir(), "vitrine-export-s3-"));
    await mkdir(join(folder, "in/maps"), { recursive: true });
    const picture = drawGrid(700, 500, { square: 50, seed: 6 });
    await asImage(picture).png().toFile(join(folder, "in/maps/a b.png"));
    await asImage(picture).png().toFile(join(folder, "in/gone.png"));
    const lines = [
      `FilesystemSource.BasicLookupStrategy.path_prefix = ${folder}/in/`,
      ...Object.entries(server.settings).map(([key, value]) => `${key} = ${value}`),
    ];
    await writeFile(join(folder, "vitrine.properties"), lines.join("\n"));
  }, 120_000);
  afterAll(async () => {
    await server?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  const exported = (...args: readonly string[]) =>
    runExport(
      "--config",
      join(folder, "vitrine.properties"),
      "--source",
      "s3://pictures/web",
      ...args,
    );

  const keys = async (): Promise<readonly string[]> => {
    const objects = await server.open();
    const found: string[] = [];
    for await (const page of objects.list("", AbortSignal.timeout(30_000)))
      found.push(...page.objects.map(({ key }) => key));
    objects.close();
    return found;
  };

  it("stores objects with their types, skips unchanged ones and removes deleted ones", async () => {
    expect(await exported()).toMatchObject({ code: 0 });
    const before = await keys();
    expect(before).toEqual(
      expect.arrayContaining([
        "web/.vitrine-export.json",
        "web/maps/a b.png/info.json",
        "web/maps/a b.png/512,0,188,500/188,500/0/default.jpg",
      ]),
    );
    const client = new S3Client({
      endpoint: server.settings["S3Cache.endpoint"] ?? "",
      region: "us-east-1",
      forcePathStyle: true,
      credentials: {
        accessKeyId: server.settings["S3Cache.access_key_id"] ?? "",
        secretAccessKey: server.settings["S3Cache.secret_key"] ?? "",
      },
    });
    const head = (Key: string) => client.send(new HeadObjectCommand({ Bucket: "pictures", Key }));
    const tile = await head("web/maps/a b.png/512,0,188,500/188,500/0/default.jpg");
    expect(tile).toMatchObject({
      ContentType: "image/jpeg",
      CacheControl: "public, max-age=86400",
    });
    expect(await head("web/maps/a b.png/info.json")).toMatchObject({
      ContentType: "application/json",
      CacheControl: "no-cache",
    });
    client.destroy();
    await rm(join(folder, "in/gone.png"));
    expect((await exported("--delete")).err).toContain("0 images, 1 unchanged, 1 removed");
    expect((await keys()).filter((key) => key.includes("gone"))).toEqual([]);
  }, 240_000);
});
