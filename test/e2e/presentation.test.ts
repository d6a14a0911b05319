import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { drawnPage, pdfOf } from "../pdf.ts";
import { type Answer, startServer, type TestServer } from "./app.ts";
import { drawSmall } from "./pictures.ts";

type Json = Readonly<Record<string, unknown>>;

const parsed = ({ body }: Answer): Json => JSON.parse(body.toString("utf8"));

let server: TestServer;
beforeAll(async () => {
  server = await startServer(
    async (folder) => {
      for (const name of ["maps/b 10.png", "maps/b 2.png", "maps/old/c.png", "top.png"])
        await drawSmall(folder, name);
      await writeFile(join(folder, "maps/broken.png"), "not a PNG");
      await writeFile(join(folder, "maps/notes.txt"), "not an image");
      await writeFile(join(folder, "book.pdf"), pdfOf([drawnPage, drawnPage, drawnPage]));
      const titled = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title><rdf:Alt><rdf:li xml:lang="x-default">A title</rdf:li></rdf:Alt></dc:title></rdf:Description></rdf:RDF></x:xmpmeta>`;
      await sharp({ create: { width: 600, height: 400, channels: 3, background: "red" } })
        .withMetadata({ orientation: 6 })
        .withXmp(titled)
        .jpeg()
        .toFile(join(folder, "turned.jpg"));
      await mkdir(join(folder, "empty"));
    },
    { "endpoint.presentation.enabled": true },
  );
});
afterAll(() => server?.close());

describe("manifests of images", () => {
  test("have one upright canvas with the embedded title, whose URIs resolve", async () => {
    const answer = await server.ask("/presentation/3/turned.jpg/manifest.json");
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      "content-type":
        'application/ld+json;profile="http://iiif.io/api/presentation/3/context.json"',
      "access-control-allow-origin": "*",
      "cache-control": "max-age=0, public, no-cache, no-transform",
      vary: "Accept",
    });
    const manifest = parsed(answer);
    expect(manifest).toMatchObject({
      id: `${server.base}/presentation/3/turned.jpg/manifest.json`,
      label: { none: ["A title"] },
      behavior: ["individuals"],
      items: [{ width: 400, height: 600 }],
    });
    const uris = JSON.stringify(manifest).match(/http:[^"]*\/default\.jpg/g) ?? [];
    expect(uris.length).toBeGreaterThan(1);
    for (const uri of new Set(uris))
      expect((await server.ask(uri.slice(server.base.length))).status).toBe(200);
    for (const version of [2, 3]) {
      const service = `/iiif/${version}/turned.jpg`;
      expect(JSON.stringify(manifest)).toContain(`"${server.base}${service}"`);
      expect((await server.ask(`${service}/info.json`)).status).toBe(200);
    }
  });

  test("have a canvas for each page of a document, which is paged", async () => {
    const answer = await server.ask("/presentation/3/book.pdf/manifest.json");
    expect(answer.body.toString()).toContain("Manifest");
    const manifest = parsed(answer);
    expect(manifest).toMatchObject({ behavior: ["paged"] });
    const ids = (manifest["items"] as Json[]).map(({ id }) => id);
    const canvas = (segment: string) => `${server.base}/presentation/3/${segment}/canvas`;
    expect(ids).toEqual([canvas("book.pdf"), canvas("book.pdf;2"), canvas("book.pdf;3")]);
    const page = parsed(await server.ask("/presentation/3/book.pdf;2/manifest.json"));
    expect((page["items"] as Json[]).map(({ id }) => id)).toEqual([canvas("book.pdf;2")]);
    expect((await server.ask("/presentation/3/book.pdf;4/manifest.json")).status).toBe(404);
  });

  test("exist in version 2 as well, as plain JSON unless JSON-LD is preferred", async () => {
    const plain = await server.ask("/presentation/2/maps%2Fold%2Fc.png/manifest.json");
    expect(plain.headers["content-type"]).toBe("application/json");
    expect(parsed(plain)).toMatchObject({ "@type": "sc:Manifest", label: "c.png" });
    const linked = await server.ask("/presentation/2/maps%2Fold%2Fc.png/manifest.json", {
      headers: { accept: "application/ld+json" },
    });
    expect(linked.headers["content-type"]).toContain("presentation/2/context.json");
  });
});

describe("manifests of folders", () => {
  test("list the images in natural order, without unreadable ones", async () => {
    const manifest = parsed(await server.ask("/presentation/3/maps/manifest.json"));
    expect(manifest["label"]).toEqual({ none: ["maps"] });
    expect((manifest["items"] as Json[]).map(({ label }) => label)).toEqual([
      { none: ["b 2.png"] },
      { none: ["b 10.png"] },
    ]);
    expect(JSON.stringify(manifest)).toContain(`${server.base}/iiif/3/maps%2Fb%202.png"`);
  });

  test("apply a changed side file at once, and ignore only its invalid parts", async () => {
    const path = join(server.folder, "maps/manifest.yml");
    const text = [
      "label: Maps",
      "rights: https://creativecommons.org/licenses/by/4.0/",
      "order: [b 10.png]",
      "images: {b 2.png: {label: {de: Zwei}}}",
      "typo: 1",
    ];
    await writeFile(path, text.join("\n"));
    const manifest = parsed(await server.ask("/presentation/3/maps/manifest.json"));
    expect(manifest).toMatchObject({
      label: { none: ["Maps"] },
      rights: "http://creativecommons.org/licenses/by/4.0/",
      items: [{ label: { none: ["b 10.png"] } }, { label: { de: ["Zwei"] } }],
    });
    const own = parsed(await server.ask("/presentation/3/maps%2Fb%202.png/manifest.json"));
    expect(own).toMatchObject({
      label: { de: ["Zwei"] },
      rights: "http://creativecommons.org/licenses/by/4.0/",
    });
    await writeFile(path, "images: {b 2.png: {hide: true}}");
    const hidden = parsed(await server.ask("/presentation/3/maps/manifest.json"));
    expect(hidden["items"]).toHaveLength(1);
    await rm(path);
  });

  test.each(["/presentation/3/nothing/manifest.json", "/presentation/3/empty/manifest.json"])(
    "%s is missing",
    async (path) => expect((await server.ask(path)).status).toBe(404),
  );
});

describe("collections", () => {
  test("have subfolders as collections and images as manifests, all of which resolve", async () => {
    const top = parsed(await server.ask("/presentation/3/collection.json"));
    const items = top["items"] as Json[];
    expect(items.map(({ type, label }) => [type, label])).toEqual([
      ["Collection", { none: ["empty"] }],
      ["Collection", { none: ["maps"] }],
      ["Manifest", { none: ["book.pdf"] }],
      ["Manifest", { none: ["top.png"] }],
      ["Manifest", { none: ["turned.jpg"] }],
    ]);
    for (const { id } of items)
      expect((await server.ask(String(id).slice(server.base.length))).status).toBe(200);
    const maps = parsed(await server.ask("/presentation/3/maps/collection.json"));
    expect(maps["partOf"]).toMatchObject([{ id: `${server.base}/presentation/3/collection.json` }]);
    expect(
      (maps["items"] as Json[]).map(({ id }) => String(id).split("/presentation/3/")[1]),
    ).toEqual([
      "maps/manifest.json",
      "maps%2Fold/collection.json",
      "maps%2Fb%202.png/manifest.json",
      "maps%2Fb%2010.png/manifest.json",
      "maps%2Fbroken.png/manifest.json",
    ]);
  });

  test("exist in version 2 as well", async () => {
    const maps = parsed(await server.ask("/presentation/2/maps/collection.json"));
    expect(maps).toMatchObject({
      "@type": "sc:Collection",
      within: `${server.base}/presentation/2/collection.json`,
      collections: [{ label: "old" }],
    });
  });
});

describe("the protocol", () => {
  test("revalidates by ETag, and supports HEAD and preflight requests", async () => {
    const path = "/presentation/3/maps/manifest.json";
    const first = await server.ask(path);
    const { etag = "" } = first.headers;
    const again = await server.ask(path, { headers: { "if-none-match": etag } });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    const head = await server.ask(path, { method: "HEAD" });
    expect([head.status, head.headers.etag, head.body.length]).toEqual([200, etag, 0]);
    const preflight = await server.ask(path, { method: "OPTIONS" });
    expect([preflight.status, preflight.headers["access-control-allow-methods"]]).toEqual([
      204,
      "GET, HEAD, OPTIONS",
    ]);
    expect((await server.ask(path, { method: "POST" })).status).toBe(405);
  });

  test.each([
    ["/presentation/3/maps", 404],
    ["/presentation/3/manifest.json", 404],
    ["/presentation/4/maps/manifest.json", 404],
    ["/presentation/3/maps/old/manifest.json", 404],
    ["/presentation/3/..%2F..%2Fetc/collection.json", 404],
    ["/presentation/3/maps%00/collection.json", 404],
    ["/presentation/3/%E0%A4%A/manifest.json", 400],
    ["/presentation/3/maps%2Fbroken.png/manifest.json", 501],
  ])("%s gets %i", async (path, status) => {
    expect((await server.ask(path)).status).toBe(status);
  });

  test("redirects constraints that can be reduced, and keeps the others", async () => {
    const { status, headers } = await server.ask("/presentation/3/top.png;2:4/manifest.json");
    expect([status, headers.location]).toEqual([
      301,
      `${server.base}/presentation/3/top.png;1:2/manifest.json`,
    ]);
    const half = await server.ask("/presentation/3/top.png;1:2/manifest.json");
    expect(half.body.toString()).toContain(`${server.base}/iiif/3/top.png;1:2`);
  });

  test("uses the public address", async () => {
    server.config.replace({ ...server.config.current, base_uri: "https://example.org/pictures" });
    const manifest = parsed(await server.ask("/presentation/3/top.png/manifest.json"));
    expect(manifest["id"]).toBe(
      "https://example.org/pictures/presentation/3/top.png/manifest.json",
    );
    server.config.replace({ ...server.config.current, base_uri: "" });
  });
});

describe("limits", () => {
  const limited = async (values: Record<string, unknown>, path: string) => {
    const before = server.config.current;
    server.config.replace({ ...before, ...values });
    const { status, body } = await server.ask(path);
    server.config.replace(before);
    return [status, body.toString()] as const;
  };

  test("refuse folders and documents that are too large, naming the key", async () => {
    const few = { "endpoint.presentation.max_canvases": 1 };
    for (const path of [
      "/presentation/3/maps/manifest.json",
      "/presentation/3/book.pdf/manifest.json",
    ]) {
      const [status, text] = await limited(few, path);
      expect(status).toBe(403);
      expect(text).toContain("endpoint.presentation.max_canvases");
    }
    const [status, text] = await limited(
      { "endpoint.presentation.max_items": 1 },
      "/presentation/3/maps/collection.json",
    );
    expect(status).toBe(403);
    expect(text).toContain("endpoint.presentation.max_items");
  });

  test("list the enabled versions of the Image API", async () => {
    const only2 = { "endpoint.iiif.3.enabled": false };
    const [, text] = await limited(only2, "/presentation/3/top.png/manifest.json");
    expect(text).toContain("/iiif/2/top.png/full/full/0/default.jpg");
    expect(text).not.toContain("ImageService3");
    const off = { "endpoint.presentation.enabled": false };
    expect((await limited(off, "/presentation/3/top.png/manifest.json"))[0]).toBe(403);
  });
});
