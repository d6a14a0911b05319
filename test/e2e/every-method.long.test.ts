import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { delegateMethods } from "../../src/core/delegate.ts";
import { inRuby, inTypeScript } from "../every-method.ts";
import { hasRuby, withoutRuby } from "../ruby.ts";
import { type ImagePlace, type ImagePlaces, imagePlaces } from "../servers/images.ts";
import { type Origin, startOrigin } from "../servers/origin.ts";
import { json, startServer, type TestServer } from "./app.ts";

const size = { width: 320, height: 240 };
const picture = (background: string, { width, height } = size) =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer();

/** What each store contains. */
const colours = {
  files: "#2040c0",
  web: "#c04020",
  s3: "#20c040",
  azure: "#c0c020",
  sql: "#c020c0",
};
type Store = keyof typeof colours;

const remote = (await imagePlaces()).filter(({ name }) => !/PostgreSQL|MariaDB/.test(name));
const storeOf = ({ source }: ImagePlaces): Store =>
  source === "S3Source" ? "s3" : source === "AzureStorageSource" ? "azure" : "sql";

let folder: string;
let origin: Origin;
const places: ImagePlace[] = [];
const here = new Map<Store, Readonly<Record<string, string>>>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-every-method-"));
  await mkdir(join(folder, "closed"));
  await writeFile(join(folder, "map.png"), await picture(colours.files));
  await writeFile(join(folder, "closed/map.png"), await picture(colours.files));
  await writeFile(
    join(folder, "large.png"),
    await picture(colours.files, { width: 900, height: 600 }),
  );
  await writeFile(join(folder, "secret.png"), await picture("#ffffff"));
  await writeFile(join(folder, "marked.png"), await picture("#ffffff"));
  await writeFile(join(folder, "mark.png"), await picture("#ff0000", { width: 30, height: 20 }));
  const pages = await Promise.all([picture("#ffffff"), picture("#000000")]);
  await sharp(pages, { join: { animated: true } })
    .tiff()
    .toFile(join(folder, "pages.tif"));
  origin = await startOrigin();
  origin.files.set("/map.png", { bytes: await picture(colours.web), etag: '"1"' });
  for (const kind of remote) {
    if (kind.missing !== undefined) continue;
    const place = await kind.start();
    places.push(place);
    await place.put("map.png", await picture(colours[storeOf(kind)]));
    here.set(storeOf(kind), place.settings);
  }
}, 120_000);
afterAll(async () => {
  for (const place of places) await place.remove();
  await origin?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Statements and keys by which a basic lookup would find images: the delegate finds them. */
const isLookup = (key: string): boolean => /_sql$|BasicLookupStrategy/.test(key);

describe.each([
  ["in TypeScript", "delegate.ts", inTypeScript, true],
  [`in Ruby${withoutRuby}`, "delegates.rb", inRuby, hasRuby],
] as const)("a delegate with every method, %s", (_, name, write, isThere) => {
  let server: TestServer;
  const written = () => write({ web: origin.base, files: folder, mark: join(folder, "mark.png") });

  beforeAll(async () => {
    if (!isThere) return;
    const script = join(folder, name);
    await writeFile(script, written());
    const settings = Object.assign({}, ...here.values()) as Readonly<Record<string, string>>;
    const lookups = ["Filesystem", "Http", "S3", "AzureStorage", "Jdbc"].map(
      (source) => [`${source}Source.lookup_strategy`, "ScriptLookupStrategy"] as const,
    );
    server = await startServer(async () => {}, {
      ...Object.fromEntries(Object.entries(settings).filter(([key]) => !isLookup(key))),
      ...Object.fromEntries(lookups),
      "delegate_script.enabled": true,
      "delegate_script.pathname": script,
      "source.delegate": true,
      "meta_identifier.transformer": "DelegateMetaIdentifierTransformer",
      "overlays.strategy": "ScriptStrategy",
      "HttpSource.allowed_origins": [origin.base],
      "cache.server.derivative.enabled": true,
      "cache.server.info.trust_seconds": 60,
    });
  }, 60_000);
  afterAll(() => server?.close());

  /** The response, which is the same when repeated. */
  const ask = async (path: string, user?: string) => {
    const headers = user === undefined ? {} : { cookie: `user=${user}` };
    const first = await server.ask(path, { headers });
    const again = await server.ask(path, { headers });
    expect(again.status, path).toBe(first.status);
    // Error pages name their request.
    if (first.status === 200) expect(again.body.equals(first.body), path).toBe(true);
    return first;
  };
  const image = (identifier: string, user?: string, parameters = "full/max/0/default.png") =>
    ask(`/iiif/3/${encodeURIComponent(identifier)}/${parameters}`, user);
  const information = async (identifier: string, version = 3) =>
    json(await ask(`/iiif/${version}/${encodeURIComponent(identifier)}/info.json`));
  const colourAt = async (body: Uint8Array, left: number, top: number): Promise<string> => {
    const pixel = await sharp(body).removeAlpha().extract({ left, top, width: 1, height: 1 });
    return `#${(await pixel.raw().toBuffer()).toString("hex")}`;
  };

  it("has every method there is", () => {
    for (const method of delegateMethods)
      expect(written()).toMatch(new RegExp(`\\b${method}\\b ?\\(`));
  });

  it.skipIf(!isThere)("finds images in files and on a web server", async () => {
    for (const store of ["files", "web"] as const) {
      expect(await information(`${store}@map.png`)).toMatchObject(size);
      const { status, body } = await image(`${store}@map.png`);
      expect([status, await colourAt(body, 5, 5)]).toEqual([200, colours[store]]);
      expect((await image(`${store}@none.png`)).status).toBe(404);
    }
    expect(origin.requests.every(({ headers }) => headers["x-api-key"] === "key")).toBe(true);
    expect((await image("elsewhere@map.png")).status).toBe(404);
  });

  for (const kind of remote)
    it.skipIf(!isThere || kind.missing !== undefined)(
      `finds images in ${kind.name}${kind.missing === undefined ? "" : ` (${kind.missing})`}`,
      async () => {
        const store = storeOf(kind);
        expect(await information(`${store}@map.png`)).toMatchObject(size);
        const { status, body } = await image(`${store}@map.png`);
        expect([status, await colourAt(body, 5, 5)]).toEqual([200, colours[store]]);
        expect((await image(`${store}@none.png`)).status).toBe(404);
      },
    );

  it.skipIf(!isThere)("decides before the image is read, and again once it is known", async () => {
    const closed = await image("files@closed/map.png");
    expect([closed.status, closed.headers["www-authenticate"]]).toEqual([
      401,
      'Basic realm="Images"',
    ]);
    expect((await image("files@closed/map.png", "ann")).status).toBe(200);
    const moved = await image("files@map.png", "old");
    expect([moved.status, moved.headers.location]).toEqual([301, "https://example.org/new"]);
    const smaller = await image("files@map.png", "small");
    expect([smaller.status, smaller.headers.location]).toEqual([
      302,
      `${server.base}/iiif/3/files%40map.png%40h/full/max/0/default.png`,
    ]);
    const half = await sharp((await image("files@map.png@h", "small")).body).metadata();
    expect([half.width, half.height]).toEqual([160, 120]);
    const sizes = [await image("files@large.png"), await image("files@large.png", "staff")];
    expect(sizes.map(({ status }) => status)).toEqual([403, 200]);
    expect((await image("files@large.png", undefined, "full/400,/0/default.png")).status).toBe(200);
  });

  it.skipIf(!isThere)("shows pages, and adds keys to info.json", async () => {
    expect(await colourAt((await image("files@pages.tif@p2")).body, 5, 5)).toBe("#000000");
    expect(await information("files@pages.tif")).toMatchObject({
      id: `${server.base}/iiif/3/files%40pages.tif`,
      rights: "https://example.org/terms",
      pages: 2,
    });
    expect(await information("files@map.png", 2)).toMatchObject({
      attribution: "Archive",
      license: "https://example.org/terms",
    });
  });

  it.skipIf(!isThere)("redacts, overlays and writes metadata", async () => {
    const secret = (await image("files@secret.png")).body;
    expect([await colourAt(secret, 40, 25), await colourAt(secret, 100, 100)]).toEqual([
      "#000000",
      "#ffffff",
    ]);
    const marked = (await image("files@marked.png")).body;
    expect([await colourAt(marked, 5, 5), await colourAt(marked, 100, 100)]).toEqual([
      "#ff0000",
      "#ffffff",
    ]);
    for (const user of ["ann", "bob"]) {
      const { body } = await image("files@map.png", user, "full/max/0/default.jpg");
      expect((await sharp(body).metadata()).xmp?.toString()).toContain(`dc:rights="for ${user}"`);
    }
    const plain = (await image("files@map.png", undefined, "full/max/0/default.jpg")).body;
    expect((await sharp(plain).metadata()).xmp).toBeUndefined();
  });
});
