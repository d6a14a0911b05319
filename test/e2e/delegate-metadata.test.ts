import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { json, startServer, type TestServer } from "./app.ts";

const script = `
import { type Context, type Delegate, metadataKeys } from "vitrine";

export default class CustomDelegate implements Delegate {
  context!: Context;

  pre_authorize(): boolean {
    return this.context.metadata === null;
  }

  extra_iiif3_information_response_keys() {
    return metadataKeys(this.context);
  }

  authorize(): boolean {
    const fields = (this.context.metadata?.exif as { fields: Record<string, unknown> } | undefined)?.fields;
    return fields?.Copyright !== "closed";
  }
}
`;

let server: TestServer;
let folder: string;

const picture = (copyright: string): Promise<Buffer> =>
  sharp({ create: { width: 30, height: 20, channels: 3, background: "#468" } })
    .withExif({
      IFD0: { Copyright: copyright, Artist: "Ann" },
      IFD3: { GPSLatitudeRef: "N", GPSLatitude: "48/1 12/1 0/1" },
    })
    .jpeg()
    .toBuffer();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-metadata-test-"));
  const file = join(folder, "delegate.ts");
  await writeFile(file, script);
  server = await startServer(
    async (images) => {
      await writeFile(join(images, "open.jpg"), await picture("open"));
      await writeFile(join(images, "closed.jpg"), await picture("closed"));
    },
    {
      "delegate_script.enabled": true,
      "delegate_script.pathname": file,
      "cache.server.info.trust_seconds": 0,
    },
  );
});

afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

it("a delegate can decide by embedded metadata", async () => {
  const full = "full/max/0/default.jpg";
  for (const _ of [1, 2]) {
    expect((await server.ask(`/iiif/3/open.jpg/${full}`)).status).toBe(200);
    expect((await server.ask(`/iiif/3/closed.jpg/${full}`)).status).toBe(403);
  }
});

it("a delegate can add metadata to info.json, without the location of the picture", async () => {
  const answer = await server.ask("/iiif/3/open.jpg/info.json");
  expect(json(answer)).toMatchObject({
    exif: { tagSet: "Baseline TIFF", fields: { Artist: "Ann", Copyright: "open" } },
  });
  expect(JSON.stringify(json(answer))).not.toContain("GPS");
});

it("a delegate gets the metadata of a replaced image", async () => {
  const path = "/iiif/3/closed.jpg/full/max/0/default.jpg";
  expect((await server.ask(path)).status).toBe(403);
  await writeFile(join(server.folder, "closed.jpg"), await picture("open to all"));
  expect((await server.ask(path)).status).toBe(200);
});
