import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json, startServer, type TestServer } from "./app.ts";
import { drawPictures } from "./pictures.ts";

/** Meta-identifiers are JSON, and invalid ones name no image. */
const spelling = `
import type { CallOptions, Context, MetaIdentifierHash } from "vitrine";

export default class CustomDelegate {
  declare context: Context;

  deserialize_meta_identifier(text: string): MetaIdentifierHash | null {
    if (this.context.identifier !== null) throw new Error("known too early");
    try {
      const { id, page, scale } = JSON.parse(text);
      return { identifier: id, page_number: page, scale_constraint: scale };
    } catch {
      return null;
    }
  }

  async serialize_meta_identifier({ identifier: id, page_number, scale_constraint }: MetaIdentifierHash) {
    return JSON.stringify({ id, page: page_number ?? undefined, scale: scale_constraint ?? undefined });
  }

  authorize(_options: CallOptions, { identifier, scale_constraint }: Context) {
    return identifier === "small.png" || scale_constraint[1] > 1
      ? true
      : { status_code: 302, scale_numerator: 1, scale_denominator: 2 };
  }
}
`;

let server: TestServer;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-identifiers-test-"));
  const script = join(folder, "delegate.ts");
  await writeFile(script, spelling);
  server = await startServer(drawPictures, {
    "delegate_script.enabled": true,
    "delegate_script.pathname": script,
    "meta_identifier.transformer": "DelegateMetaIdentifierTransformer",
  });
});

afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const at = (parts: object): string => `/iiif/3/${encodeURIComponent(JSON.stringify(parts))}`;
const full = "/full/max/0/default.jpg";

describe("DelegateMetaIdentifierTransformer", () => {
  it("serves images by the delegate's own spelling", async () => {
    expect((await server.ask(at({ id: "small.png" }) + full)).status).toBe(200);
    expect((await server.ask(at({ id: "missing.png" }) + full)).status).toBe(404);
    expect((await server.ask(`/iiif/3/small.png${full}`)).status).toBe(404);
    expect((await server.ask(at({ id: "small.png", page: 0 }) + full)).status).toBe(500);
  });

  it("redirects to the delegate's spelling, which serves the image", async () => {
    const { status, headers } = await server.ask(at({ id: "large.tif" }) + full);
    expect(status).toBe(302);
    const { pathname } = new URL(headers["location"] ?? "");
    expect(decodeURIComponent(pathname)).toContain('{"id":"large.tif","scale":[1,2]}');
    expect((await server.ask(pathname)).status).toBe(200);
  });

  it("gives info.json its address and the size of its constraint", async () => {
    const whole = json(await server.ask(`${at({ id: "large.tif" })}/info.json`));
    const path = at({ id: "large.tif", scale: [1, 2] });
    const half = json(await server.ask(`${path}/info.json`));
    expect(half["width"]).toBe(Math.round(Number(whole["width"]) / 2));
    expect(half["id"]).toMatch(new RegExp(`${path.replaceAll(/[.*()]/g, "\\$&")}$`));
  });
});
