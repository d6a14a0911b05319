import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contextOf, sourceContract } from "../../test/contract/source.ts";
import { fakeDelegate } from "../../test/fake-delegate.ts";
import { Config } from "../config/store.ts";
import type { Source } from "../core/source.ts";
import { withSessions } from "./delegated.ts";
import { filesystem } from "./filesystem.ts";

const bytes = Buffer.from("not really a picture");
const allowedKey = "FilesystemSource.ScriptLookupStrategy.allowed_paths";
let home: string;

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "vitrine-script-")));
  await mkdir(join(home, "images"));
  await mkdir(join(home, "images-beside"));
  await writeFile(join(home, "images", "plain.png"), bytes);
  await writeFile(join(home, "images-beside", "s.png"), "secret");
  await symlink(join(home, "images-beside", "s.png"), join(home, "images", "way-out.png"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const strategy = { "FilesystemSource.lookup_strategy": "ScriptLookupStrategy" };

/** A source whose delegate returns `answer` of the identifier. */
const make = (
  answer: (identifier: string) => unknown = (identifier) => join(home, "images/") + identifier,
  settings: Readonly<Record<string, unknown>> = {},
): Source => {
  const { delegate } = fakeDelegate({
    filesystemsource_pathname: ({ identifier }) => answer(String(identifier)),
  });
  const config = new Config({ ...strategy, ...settings });
  return withSessions(filesystem.create(config.view(filesystem.keys)), delegate);
};
const find = (source: Source, identifier: string) => source.find(identifier, contextOf(identifier));

sourceContract("FilesystemSource with a delegate", async () => ({
  source: make(),
  stored: { identifier: "plain.png", bytes },
  put: (identifier, content) => put(join(home, "images", identifier), content),
}));

const put = async (path: string, content: Uint8Array): Promise<void> => {
  await mkdir(join(path, ".."), { recursive: true });
  await rm(path, { force: true });
  await writeFile(path, content);
};

describe("FilesystemSource with a delegate", () => {
  it("reads the file that the delegate names, synchronously or later", async () => {
    const path = join(home, "images", "plain.png");
    expect(
      await find(
        make(() => path),
        "a",
      ),
    ).toMatchObject({ place: path });
    expect(
      await find(
        make(async () => path),
        "a",
      ),
    ).toMatchObject({ place: path });
  });

  it.each([null, undefined])("treats %s as a missing image", async (nothing) => {
    await expect(
      find(
        make(() => nothing),
        "a.png",
      ),
    ).rejects.toMatchObject({
      failure: "missing",
      message: "There is no image 'a.png'.",
    });
  });

  it.each(["images/plain.png", "", 7, { path: "/plain.png" }])(
    "treats %j as a failure of the delegate, and names the method",
    async (answer) => {
      await expect(
        find(
          make(() => answer),
          "a",
        ),
      ).rejects.toMatchObject({
        failure: "internal",
        message: expect.stringContaining("filesystemsource_pathname"),
      });
    },
  );

  it("never climbs out of its folder, although such a file exists", async () => {
    for (const climbing of ["../images-beside/s.png", "..\\s.png", "x/../plain.png", "a\0.png"])
      await expect(find(make(), climbing)).rejects.toMatchObject({ failure: "missing" });
  });

  it("reads files in the allowed folders only, with links resolved", async () => {
    const everywhere = make();
    expect((await find(everywhere, "way-out.png")).size).toBe(6);
    const confined = make(undefined, {
      [allowedKey]: [join(home, "nowhere"), join(home, "images")],
    });
    expect((await find(confined, "plain.png")).size).toBe(bytes.length);
    await expect(find(confined, "way-out.png")).rejects.toMatchObject({ failure: "missing" });
    const beside = make(() => join(home, "images-beside/s.png"), {
      [allowedKey]: [join(home, "images")],
    });
    await expect(find(beside, "a")).rejects.toMatchObject({ failure: "missing" });
  });

  it("needs no prefix for whole paths in allowed folders", async () => {
    const why = async (values: Readonly<Record<string, unknown>>) =>
      filesystem.unusable?.(new Config({ ...strategy, ...values }).view(filesystem.keys)());
    expect(await why({})).toBeUndefined();
    expect(await why({ [allowedKey]: [home, "images"] })).toMatch(
      /'images' is not an absolute path/,
    );
  });

  it("fails without a delegate", async () => {
    const alone = filesystem.create(new Config(strategy).view(filesystem.keys));
    await expect(find(alone, "a")).rejects.toMatchObject({
      failure: "internal",
      message: expect.stringContaining("delegate_script.enabled"),
    });
  });
});
