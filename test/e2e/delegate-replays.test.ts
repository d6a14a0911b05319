import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Images } from "../../src/service/images.ts";
import { startServer } from "./app.ts";
import { drawPictures } from "./pictures.ts";

const path = "/iiif/3/small.png/full/max/0/default.jpg";

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A server with a delegate of these members, and the calls so far. */
const start = async (members: string) => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-delegate-test-"));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  const script = join(folder, "delegate.mjs");
  await writeFile(
    script,
    `const user = (context) => context.cookies.user ?? "nobody";
    const note = (name, context) => globalThis.noted?.push(name + " " + user(context));
    export default class { ${members} }`,
  );
  const noted: string[] = [];
  Object.assign(globalThis, { noted });
  let prepared = 0;
  const counted = (images: Images): Images => ({
    ...images,
    prepareSync: (...asked) => {
      prepared++;
      return images.prepareSync(...asked);
    },
  });
  const server = await startServer(
    drawPictures,
    {
      "delegate_script.enabled": true,
      "delegate_script.pathname": script,
      "cache.server.derivative.enabled": true,
      "cache.server.derivative": "HeapCache",
    },
    { around: { source: (source) => source, images: counted } },
  );
  ends.push(() => server.close());
  /** The response to a user, and whether it was replayed. */
  const as = async (user: string) => {
    const before = prepared;
    const headers = { cookie: `user=${user}`, authorization: `Bearer ${user}` };
    const answer = await server.ask(path, { headers });
    return { ...answer, isReplay: prepared === before };
  };
  return { as, noted };
};

describe("a replayed response", () => {
  it.each([
    ["at once", "", ""],
    ["with promises", "async", "await null;"],
  ])("is sent to those whom the delegate allows %s", async (_, async, wait) => {
    const { as, noted } = await start(`
      ${async} pre_authorize() { ${wait} note("pre", this.context); return user(this.context) !== "eve"; }
      ${async} authorize() {
        ${wait}
        note("authorize", this.context);
        const { resulting_size, operations, output_format, full_size } = this.context;
        if (!(resulting_size.width > 0 && operations.length > 0 && output_format && full_size))
          throw new Error("incomplete");
        if (user(this.context) === "throws") throw new Error("thrown");
        return user(this.context) !== "mallory";
      }`);
    const first = await as("ann");
    expect(first).toMatchObject({ status: 200, isReplay: false });
    const second = await as("bob");
    expect(second).toMatchObject({ status: 200, isReplay: true });
    expect(second.body.equals(first.body)).toBe(true);
    expect((await as("eve")).status).toBe(403);
    expect((await as("mallory")).status).toBe(403);
    expect((await as("throws")).status).toBe(500);
    expect(await as("ann")).toMatchObject({ status: 200, isReplay: true });
    // Each method once per request.
    expect(noted).toEqual([
      ...["pre ann", "authorize ann", "pre bob", "authorize bob", "pre eve"],
      ...["pre mallory", "authorize mallory", "pre throws", "authorize throws"],
      ...["pre ann", "authorize ann"],
    ]);
  });

  it("is sent to nobody if the delegate changes images", async () => {
    const { as, noted } = await start(
      'redactions() { note("redactions", this.context); return []; }',
    );
    for (const user of ["ann", "bob"]) {
      expect(await as(user)).toMatchObject({ status: 200, isReplay: false });
    }
    expect(noted).toEqual(["redactions ann", "redactions bob"]);
  });
});
