import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json, startServer, type TestServer } from "./app.ts";
import { expectRefusal, expectShown, headerOf, linksOf } from "./checks.ts";
import { asImage, type Shown } from "./grid.ts";
import { drawPages, drawSmall, second, small } from "./pictures.ts";
import { apiVersions, basePath, imagePath, infoPath } from "./requests.ts";

const whole: Shown = { region: [0, 0, 300, 200], size: [300, 200] };

/** 1,000 characters, in folders, because no file system holds a name so long. */
const long = `${"a".repeat(199)}/${"b".repeat(199)}/${"c".repeat(199)}/${"d".repeat(199)}/${"e".repeat(196)}.png`;

/** Names as stored, and their canonical URL form. */
const names = [
  ["folder/deep/a.png", "folder%2Fdeep%2Fa.png"],
  ["with space.png", "with%20space.png"],
  ["ark:12025-x,1;v.png", "ark:12025-x,1;v.png"],
  ["plus+and&and=.png", "plus+and&and=.png"],
  ["percent%20literal.png", "percent%2520literal.png"],
  ["100%.png", "100%25.png"],
  ["hash#question?.png", "hash%23question%3F.png"],
  ["brackets[1](2)@.png", undefined],
  ["Straße – 東京 🗺.png", encodeURIComponent("Straße – 東京 🗺.png")],
  ["..hidden..png", "..hidden..png"],
  ["no-extension", "no-extension"],
  ["a.b.c.png", "a.b.c.png"],
] as const;

let server: TestServer;
let outer: string;
beforeAll(async () => {
  server = await startServer(
    async (folder) => {
      outer = folder;
      const inside = join(folder, "pictures");
      for (const [name] of names) await drawSmall(inside, name);
      await drawSmall(inside, long);
      await drawSmall(folder, "secret.png");
      await writeFile(join(folder, "secret.txt"), "not for you");
      await symlink(join(folder, "secret.png"), join(inside, "link.png"));
      await mkdir(join(inside, "empty.png"));
      await drawPages(inside, "pages.tif");
    },
    { "endpoint.iiif.1.enabled": true },
    { pictures: "pictures" },
  );
});
afterAll(() => server.close());

describe.each(apiVersions)("identifiers in version %s", (version) => {
  it.each(names)("name the image %s", async (name, canonical) => {
    const encoded = encodeURIComponent(name);
    const answer = await server.ask(imagePath(version, encoded));
    await expectShown(answer, small, whole);
    const info = await server.ask(infoPath(version, encoded));
    expect(info.status).toBe(200);
    expect(json(info)).toMatchObject({ width: 300, height: 200 });
    if (canonical !== undefined)
      await expectShown(await server.ask(imagePath(version, canonical)), small, whole);
  });

  it("may percent-encode any character, once", async () => {
    const spelled = [...Buffer.from("folder/deep/a.png")]
      .map((byte) => `%${byte.toString(16).padStart(2, "0")}`)
      .join("");
    await expectShown(await server.ask(imagePath(version, spelled)), small, whole);
    expectRefusal(await server.ask(imagePath(version, "folder%252Fdeep%252Fa.png")), [404]);
  });

  it("keep a plus as a plus", async () => {
    expectRefusal(await server.ask(imagePath(version, "with+space.png")), [404]);
  });

  it("may have 1,000 characters, if the URI may be that long", async () => {
    expect(long).toHaveLength(1000);
    const answer = await server.ask(imagePath(version, encodeURIComponent(long)));
    if (version === 1) expectRefusal(answer, [414]);
    else await expectShown(answer, small, whole);
    const longer = await server.ask(imagePath(version, `${encodeURIComponent(long)}x`));
    expectRefusal(longer, [400, 404, 414]);
  });

  it.each([
    "absent.png",
    "folder",
    "folder%2F",
    "empty.png",
    "link.png",
    "a".repeat(300),
    "pages.tif%2Fa.png",
  ])("that name no image are not found: %s", async (identifier) => {
    expectRefusal(await server.ask(imagePath(version, identifier)), [404]);
    expectRefusal(await server.ask(infoPath(version, identifier)), [404]);
  });

  it.each([
    "%2Fno-extension",
    "no-extension%2F",
    "no-extension%2F%2F",
    "folder%2F%2Fdeep%2Fa.png",
    "folder%2F.%2Fdeep%2Fa.png",
    "%2E%2Fno-extension",
    "folder%2Fdeep%2Fa.png%2F.",
  ])("have a single spelling: %s is not found", async (identifier) => {
    expectRefusal(await server.ask(imagePath(version, identifier)), [404]);
    expectRefusal(await server.ask(infoPath(version, identifier)), [404]);
  });

  it.each([
    "..%2Fsecret.png",
    "..%2fsecret.png",
    "%2e%2e%2Fsecret.png",
    "%2E%2E%2fsecret.png",
    "..%5Csecret.png",
    "..\\secret.png",
    "%2e%2e%5csecret.png",
    "folder%2F..%2F..%2Fsecret.png",
    "folder%2F.%2F..%2F..%2Fsecret.png",
    "....%2F%2Fsecret.png",
    "..;%2Fsecret.png",
    "..%00%2Fsecret.png",
    "%00..%2Fsecret.png",
    "no-extension%00.png",
    "..%252Fsecret.png",
    "%252e%252e%252Fsecret.png",
    "%25252e%25252e%25252fsecret.png",
    "..%c0%afsecret.png",
    "..%e0%80%afsecret.png",
    "%c0%ae%c0%ae%2Fsecret.png",
    "..%ef%bc%8fsecret.png",
    "%uff0e%uff0e%2fsecret.png",
    "..",
    ".",
    "%2e%2e",
    "%2F",
    "%2Fetc%2Fpasswd",
    "%2F%2Fetc%2Fpasswd",
    "file:%2F%2F%2Fetc%2Fpasswd",
    "..%2F..%2F..%2F..%2F..%2F..%2Fetc%2Fpasswd",
    "..%2Fsecret.txt",
    "..%2Fpictures%2F..%2Fsecret.png",
    "~%2Fsecret.png",
    "link.png%2F..%2Fsecret.png",
  ])("never lead out of the folder: %s", async (identifier) => {
    for (const path of [imagePath(version, identifier), infoPath(version, identifier)]) {
      const answer = await server.ask(path);
      expectRefusal(answer, [400, 404]);
      expect(answer.body.toString("latin1")).not.toContain(outer);
      expect(answer.body.toString("latin1")).not.toContain("not for you");
    }
  });

  it("never lead out by dots in whole segments", async () => {
    for (const path of [
      `/iiif/${version}/../${version}/secret.png/full/full/0/native.jpg`,
      `/iiif/${version}/../secret.png/info.json`,
      `/../../etc/passwd`,
      `/iiif/../../etc/passwd`,
      `/%2e%2e/%2e%2e/etc/passwd`,
    ]) {
      const answer = await server.ask(path);
      expect([400, 404]).toContain(answer.status);
      expect(answer.body.toString("latin1")).not.toContain("root:");
    }
  });

  it("appear in info.json and links as requested", async () => {
    for (const identifier of ["folder%2Fdeep%2Fa.png", "ark:12025-x,1;v.png", "with%20space.png"]) {
      const id = server.base + basePath(version, identifier);
      const info = json(await server.ask(infoPath(version, identifier)));
      expect(info).toMatchObject(version === 3 ? { id } : { "@id": id });
      const redirect = await server.ask(basePath(version, identifier));
      expect(redirect.headers.location).toBe(`${id}/info.json`);
      const { canonical } = linksOf(await server.ask(imagePath(version, identifier)));
      if (version > 1) expect(canonical?.startsWith(`${id}/full/`), canonical).toBe(true);
    }
  });
});

describe.each(apiVersions)("pages and scale constraints in version %s", (version) => {
  const page = { region: [0, 0, 240, 280], size: [240, 280] } as const;

  it("count pages from 1", async () => {
    const upsideDown: Shown = { ...page, turns: 2 };
    for (const first of ["pages.tif", "pages.tif;1", "pages.tif%3B1"])
      await expectShown(await server.ask(imagePath(version, first)), second, upsideDown);
    for (const other of ["pages.tif;2", "pages.tif%3B2"])
      await expectShown(await server.ask(imagePath(version, other)), second, page);
  });

  it("have no page before the first and after the last", async () => {
    expectRefusal(await server.ask(imagePath(version, "pages.tif;0")), [400, 404]);
    for (const beyond of ["pages.tif;3", "pages.tif;99999999999", "no-extension;2"]) {
      expectRefusal(await server.ask(imagePath(version, beyond)), [404]);
      expectRefusal(await server.ask(infoPath(version, beyond)), [404]);
    }
  });

  it("reduce an image in every respect", async () => {
    const identifier = "no-extension;1:2";
    const info = json(await server.ask(infoPath(version, identifier)));
    expect(info).toMatchObject({ width: 150, height: 100 });
    const ask = (parts: Parameters<typeof imagePath>[2]) =>
      server.ask(imagePath(version, identifier, { format: "png", ...parts }));
    await expectShown(await ask({}), small, { ...whole, size: [150, 100] });
    await expectShown(await ask({ region: "0,0,75,50" }), small, {
      region: [0, 0, 150, 100],
      size: [75, 50],
    });
    await expectShown(await ask({ region: "pct:50,50,50,50" }), small, {
      region: [150, 100, 150, 100],
      size: [75, 50],
    });
    await expectShown(await ask({ size: "pct:50" }), small, { ...whole, size: [75, 50] });
    await expectShown(await ask({ size: "!60,60" }), small, { ...whole, size: [60, 40] });
    for (const size of ["300,", ",200", "300,200", "pct:200", ...(version === 3 ? ["^300,"] : [])])
      expectRefusal(await ask({ size }), [400, 403, 501]);
    const { canonical } = linksOf(await ask({ format: "jpg" }));
    if (version > 1) expect(canonical).toBe(`${server.base}${imagePath(version, identifier)}`);
  });

  it("can be combined", async () => {
    const answer = await server.ask(imagePath(version, "pages.tif;2;1:2"));
    await expectShown(answer, second, { ...page, size: [120, 140] });
    expect(json(await server.ask(infoPath(version, "pages.tif;2;1:2")))).toMatchObject({
      width: 120,
      height: 140,
    });
  });

  it("list no unavailable size or tile", async () => {
    const info = json(await server.ask(infoPath(version, "no-extension;1:3")));
    expect(info).toMatchObject({ width: 100, height: 67 });
    const sizes = Array.isArray(info.sizes) ? info.sizes : [];
    for (const { width, height } of sizes) {
      const size = version === 3 ? `${width},${height}` : `${width},`;
      const answer = await server.ask(
        imagePath(version, "no-extension;1:3", { size, format: "png" }),
      );
      await expectShown(answer, small, { ...whole, size: [width, height] });
    }
  });

  it("are rejected if invalid", async () => {
    for (const constraint of ["0:1", "1:0", "2:1", "0:0"])
      expectRefusal(await server.ask(imagePath(version, `no-extension;${constraint}`)), [400, 404]);
  });

  it("are redirected to their simplest form, encoded as necessary", async () => {
    for (const [asked, simpler] of [
      ["no-extension;2:4", "no-extension;1:2"],
      ["no-extension;3:3", "no-extension"],
      ["folder%2Fdeep%2Fa.png;50:100", "folder%2Fdeep%2Fa.png;1:2"],
    ] as const)
      for (const path of [imagePath, infoPath]) {
        const answer = await server.ask(path(version, asked));
        expect([301, 302, 303, 308]).toContain(answer.status);
        expect(headerOf(answer, "location")).toBe(server.base + path(version, simpler));
      }
  });
});

describe("slash_substitute and the delimiter", () => {
  let other: TestServer;
  beforeAll(async () => {
    other = await startServer(
      async (folder) => {
        await drawSmall(folder, "folder/deep/a.png");
        await asImage(small).png().toFile(join(folder, "b;2"));
        await drawPages(folder, "pages.tif");
      },
      {
        slash_substitute: "~~",
        "meta_identifier.transformer.StandardMetaIdentifierTransformer.delimiter": ".*",
      },
    );
  });
  afterAll(() => other.close());

  it("replaces slashes, beside encoded ones", async () => {
    for (const identifier of ["folder~~deep~~a.png", "folder%7E%7Edeep%2Fa.png"]) {
      await expectShown(await other.ask(imagePath(3, identifier)), small, whole);
      expect(json(await other.ask(infoPath(3, identifier))).id).toBe(
        other.base + basePath(3, identifier),
      );
    }
  });

  it("leads no further out than slashes do", async () => {
    for (const identifier of ["..~~secret.png", "~~etc~~passwd", "folder~~..~~..~~secret.png"])
      expectRefusal(await other.ask(imagePath(3, identifier)), [404]);
  });

  it("may be any text, taken literally", async () => {
    const page: Shown = { region: [0, 0, 240, 280], size: [240, 280] };
    await expectShown(await other.ask(imagePath(3, "pages.tif.*2")), second, page);
    await expectShown(await other.ask(imagePath(3, "b;2")), small, whole);
  });
});
