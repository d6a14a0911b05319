import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Origin, startOrigin } from "../servers/origin.ts";
import { json, startServer, type TestServer } from "./app.ts";

let origin: Origin;
let server: TestServer;
let folder: string;

const picture = (width: number) =>
  sharp({ create: { width, height: 40, channels: 3, background: "#369" } }).png();

/** Loans are on a web server, everything else in files; some results are invalid. */
const rules = (web: string, files: string) => `
import { join } from "node:path";
import type { Context, Delegate } from "vitrine";

export default class CustomDelegate implements Delegate {
  declare context: Context;

  source() {
    if (this.context.identifier === "lost") return null as never;
    return this.context.identifier?.startsWith("loans/") ? "HttpSource" : "FilesystemSource";
  }

  async httpsource_resource_info() {
    const name = this.context.identifier?.slice("loans/".length) ?? "";
    if (name === "inside") return { uri: "http://[::ffff:10.0.0.1]/a.png" };
    return { uri: "${web}/" + encodeURIComponent(name), headers: { "X-Api-Key": "key" } };
  }

  filesystemsource_pathname() {
    const { identifier } = this.context;
    if (identifier === "outside") return "/etc/hostname";
    if (identifier === "throws") throw new Error("no database");
    return identifier === "none" ? null : join(${JSON.stringify(files)}, identifier ?? "");
  }
}
`;

beforeAll(async () => {
  origin = await startOrigin();
  origin.files.set("/map.png", { bytes: await picture(60).toBuffer(), etag: '"1"' });
  folder = await mkdtemp(join(tmpdir(), "vitrine-delegate-test-"));
  await picture(80).toFile(join(folder, "map.png"));
  const script = join(folder, "delegate.ts");
  await writeFile(script, rules(origin.base, folder));
  server = await startServer(async () => {}, {
    "delegate_script.enabled": true,
    "delegate_script.pathname": script,
    "source.delegate": true,
    "FilesystemSource.lookup_strategy": "ScriptLookupStrategy",
    "FilesystemSource.ScriptLookupStrategy.allowed_paths": [folder],
    "HttpSource.lookup_strategy": "ScriptLookupStrategy",
    "HttpSource.allowed_origins": [origin.base],
  });
});

afterAll(async () => {
  await server?.close();
  await origin?.close();
  await rm(folder, { recursive: true, force: true });
});

const information = (identifier: string) =>
  server.ask(`/iiif/3/${encodeURIComponent(identifier)}/info.json`);

describe("a delegate that locates images", () => {
  it("finds some in files and others on web servers", async () => {
    expect(json(await information("map.png"))).toMatchObject({ width: 80 });
    expect(json(await information("loans/map.png"))).toMatchObject({ width: 60 });
    expect((await server.ask("/iiif/3/loans%2Fmap.png/full/max/0/default.jpg")).status).toBe(200);
    expect(origin.requests.length).toBeGreaterThan(0);
    expect(origin.requests.every(({ headers }) => headers["x-api-key"] === "key")).toBe(true);
  });

  it("reports missing images, and cannot lead outside allowed locations", async () => {
    for (const identifier of ["none", "outside", "../map.png", "loans/unknown.png"])
      expect([identifier, (await information(identifier)).status]).toEqual([identifier, 404]);
    const { status, body } = await information("loans/inside");
    expect([status, String(body).includes("10.0.0.1")]).toEqual([403, false]);
  });

  it("causes a server error when it fails or returns anything else", async () => {
    for (const identifier of ["throws", "lost"]) {
      const { status, body } = await information(identifier);
      expect([status, String(body).includes("no database")]).toEqual([500, false]);
    }
  });
});
