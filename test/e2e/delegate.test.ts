import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { random } from "../random.ts";
import { json, startServer, type TestServer } from "./app.ts";
import { drawPictures } from "./pictures.ts";

/** Allows users what their cookie says, everybody a small size of anything, and nobody the rest. */
const rules = `
import type { Context } from "vitrine";

type Answer = boolean | { readonly status_code: number; readonly [key: string]: unknown };

const users: Readonly<Record<string, readonly string[]>> = {
  ann: ["small.png", "large.tif"],
  bob: ["large.tif"],
};

export default class CustomDelegate {
  declare context: Context;

  #allowed(): boolean {
    const { cookies, identifier } = this.context;
    return users[cookies["user"] ?? ""]?.includes(identifier ?? "") ?? false;
  }

  async pre_authorize(): Promise<Answer> {
    if (this.context.cookies["user"] !== undefined) return true;
    return { status_code: 401, challenge: 'Bearer realm="images"' };
  }

  authorize(_options: unknown, { resulting_size }: Context): Answer {
    return this.#allowed() || (resulting_size?.width ?? 0) <= 50;
  }

  extraIiif3InformationResponseKeys(): object {
    const { cookies } = this.context;
    return { rights: "https://creativecommons.org/licenses/by/4.0/", seenBy: cookies["user"] };
  }
}
`;

let server: TestServer;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "vitrine-delegate-test-"));
  const script = join(folder, "delegate.ts");
  await writeFile(script, rules);
  server = await startServer(drawPictures, {
    "delegate_script.enabled": true,
    "delegate_script.pathname": script,
    // Every cache is on and trusted.
    "cache.server.derivative.enabled": true,
    "cache.server.info.trust_seconds": 60,
    "cache.client.enabled": true,
  });
});

afterAll(async () => {
  await server?.close();
  await rm(folder, { recursive: true, force: true });
});

const as = (user: string | undefined, headers = {}) => ({
  headers: { ...(user === undefined ? {} : { cookie: `user=${user}` }), ...headers },
});

const whole = (identifier: string) => `/iiif/3/${identifier}/full/max/0/default.jpg`;
const little = (identifier: string) => `/iiif/3/${identifier}/full/40,/0/default.jpg`;

describe("a delegate in TypeScript", () => {
  it("challenges unknown clients", async () => {
    for (const path of [whole("small.png"), "/iiif/2/small.png/info.json"]) {
      const { status, headers } = await server.ask(path);
      expect([status, headers["www-authenticate"]]).toEqual([401, 'Bearer realm="images"']);
    }
  });

  it("adds what it knows of the client to info.json", async () => {
    const path = "/iiif/3/small.png/info.json";
    for (const user of ["ann", "bob", "ann"]) {
      expect(json(await server.ask(path, as(user)))).toMatchObject({
        seenBy: user,
        protocol: "http://iiif.io/api/image",
      });
    }
  });

  it("is called for each of thousands of mixed requests, whatever is cached", async () => {
    const { whole: any } = random(7);
    const pick = <T>(list: readonly T[]): T => list[any(0, list.length - 1)] as T;
    const tags = new Map<string, string>();
    const wrong: string[] = [];
    let sent = 0;
    const once = async (): Promise<void> => {
      const user = pick(["ann", "bob", "eve", undefined]);
      const identifier = pick(["small.png", "large.tif"]);
      const size = pick([whole, little]);
      const path = size(identifier);
      const tag = any(0, 2) === 0 ? tags.get(path) : undefined;
      const method = pick(["GET", "GET", "GET", "HEAD"]);
      const condition = tag === undefined ? {} : { "if-none-match": tag };
      const answer = await server.ask(path, { method, ...as(user, condition) });
      if (answer.headers.etag !== undefined) tags.set(path, answer.headers.etag);
      const fault = faultOf(answer, statusFor(user, identifier, size === little));
      if (fault !== undefined) wrong.push(`${method} ${path} as ${user}: ${fault}`);
    };
    const lane = async (): Promise<void> => {
      while (sent++ < 3_000) await once();
    };
    await Promise.all(Array.from({ length: 8 }, lane));
    expect(wrong).toEqual([]);
    expect(tags.size).toBe(4);
  }, 120_000);
});

const allowed: ReadonlySet<string> = new Set(["ann small.png", "ann large.tif", "bob large.tif"]);

const statusFor = (user: string | undefined, identifier: string, isLittle: boolean): number => {
  if (user === undefined) return 401;
  return isLittle || allowed.has(`${user} ${identifier}`) ? 200 : 403;
};

/**
 * What is wrong with a response that should have a status, and an image only with 200; undefined
 * for nothing.
 */
const faultOf = (
  { status, headers, body }: Awaited<ReturnType<TestServer["ask"]>>,
  expected: number,
): string | undefined => {
  const got = status === 304 ? 200 : status;
  const isPicture = headers["content-type"] === "image/jpeg" || status === 304;
  return got === expected && isPicture === (expected === 200)
    ? undefined
    : `${status}, ${body.length} bytes`;
};
