import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contextOf, sourceContract } from "../../test/contract/source.ts";
import { ServerError } from "../core/errors.ts";
import { type Logger, silent } from "../core/log.ts";
import type { Source } from "../core/source.ts";
import { filesystem } from "./filesystem.ts";

let home: string;
const bytes = Buffer.from("some bytes that stand for a picture");

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "vitrine-source-"));
  await mkdir(join(home, "images", "deep"), { recursive: true });
  await writeFile(join(home, "images", "deep", "ä picture; of 1.png"), bytes);
  await writeFile(join(home, "images", "plain.png"), bytes);
  await writeFile(join(home, "secret.png"), "secret");
  await mkdir(join(home, "images-secret"));
  await writeFile(join(home, "images-secret", "s.png"), "secret");
  await symlink(join(home, "secret.png"), join(home, "images", "way-out.png"));
  await symlink(join(home, "images-secret", "s.png"), join(home, "images", "way-beside.png"));
  await symlink(join(home, "images", "plain.png"), join(home, "images", "way-in.png"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const make = (
  changes: Partial<{ prefix: string; suffix: string; follow: boolean }> = {},
  log: Logger = silent,
): Source =>
  filesystem.create(
    () => ({
      "FilesystemSource.lookup_strategy": "BasicLookupStrategy",
      "FilesystemSource.BasicLookupStrategy.path_prefix": changes.prefix ?? join(home, "images/"),
      "FilesystemSource.BasicLookupStrategy.path_suffix": changes.suffix ?? "",
      "FilesystemSource.ScriptLookupStrategy.allowed_paths": [],
      "FilesystemSource.follow_symlinks": changes.follow ?? false,
      "FilesystemSource.open_files.max": 2,
      "FilesystemSource.open_files.idle_seconds": 30,
      "FilesystemSource.read_at_once": true,
      "processor.system_calls": true,
    }),
    log,
  );

const failureOf = async (source: Source, identifier: string): Promise<string> => {
  try {
    await source.find(identifier, contextOf(identifier));
    return "found";
  } catch (error) {
    return error instanceof ServerError ? error.failure : String(error);
  }
};

sourceContract("FilesystemSource", async () => ({
  source: make(),
  stored: { identifier: "deep/ä picture; of 1.png", bytes },
}));

describe("the filesystem source", () => {
  it("puts prefix and suffix around the identifier, literally", async () => {
    expect(await failureOf(make({ suffix: ".png" }), "plain")).toBe("found");
    expect(await failureOf(make({ prefix: join(home, "images/pl") }), "ain.png")).toBe("found");
  });

  it.each([
    "../secret.png",
    "..\\secret.png",
    "deep/../../secret.png",
    "deep\\..\\..\\secret.png",
    "/../secret.png",
    "plain.png\0.jpg",
    "way-out.png",
    "way-beside.png",
    "..",
    ".",
    "",
    "deep",
    "deep/",
    "plain.png/",
    "/plain.png",
    "//plain.png",
    "./plain.png",
    "deep/./ä picture; of 1.png",
    "deep//ä picture; of 1.png",
    "deep/.",
    "deep/plain.png/..",
    "x".repeat(5_000),
  ])("has no image %j", async (identifier) => {
    expect(await failureOf(make(), identifier)).toBe("missing");
  });

  it("treats a prefix without a slash as the folder of that name, and nothing beside it", async () => {
    const source = make({ prefix: join(home, "images") });
    for (const beside of ["-secret/s.png", "-secret/", "/../secret.png", "/../images-secret/s.png"])
      expect(await failureOf(source, beside), beside).toBe("missing");
    // Sites with such a prefix have identifiers that begin with the missing slash.
    for (const inside of ["/plain.png", "plain.png", "/deep/ä picture; of 1.png"])
      expect(await failureOf(source, inside), inside).toBe("found");
    for (const other of ["//plain.png", "/./plain.png", "/plain.png/", "/", ""])
      expect(await failureOf(source, other), other).toBe("missing");
  });

  it("reports once that a prefix has no slash, and only if it names a folder", async () => {
    const said: string[] = [];
    const log: Logger = { ...silent, warn: (message) => void said.push(message) };
    const folder = make({ prefix: join(home, "images") }, log);
    for (let n = 0; n < 3; n++) await failureOf(folder, "plain.png");
    await failureOf(make({ prefix: join(home, "images/pl") }, log), "ain.png");
    await failureOf(make({ prefix: join(home, "images/") }, log), "plain.png");
    expect(said).toHaveLength(1);
    expect(said[0]).toContain("path_prefix has no slash at its end");
  });

  it("finds a folder created after a prefix without a slash was first used", async () => {
    const source = make({ prefix: join(home, "images", "later") });
    expect(await failureOf(source, "/one.png")).toBe("missing");
    await mkdir(join(home, "images", "later"));
    await writeFile(join(home, "images", "later", "one.png"), bytes);
    expect(await failureOf(source, "/one.png")).toBe("found");
  });

  it("follows links inside the folder, and others only if configured", async () => {
    expect(await failureOf(make(), "way-in.png")).toBe("found");
    expect(await failureOf(make({ follow: true }), "way-out.png")).toBe("found");
  });

  it("never finds anything outside, whatever the identifier", async () => {
    const part = fc.constantFrom("..", ".", "/", "\\", "secret.png", "images", "%2e", "\0", "deep");
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
        const failure = await failureOf(make(), parts.join(""));
        expect(["missing"]).toContain(failure);
      }),
      { numRuns: 300 },
    );
  });

  it("gives a changed file a new version", async () => {
    const path = join(home, "images", "changing.png");
    await writeFile(path, "one");
    const before = await make().find("changing.png", contextOf("changing.png"));
    await writeFile(path, "two");
    await utimes(path, new Date(), new Date(Date.now() + 5_000));
    const after = await make().find("changing.png", contextOf("changing.png"));
    expect(after.version).not.toBe(before.version);
  });

  it("reports what is missing if no folder is configured", async () => {
    expect(await failureOf(make({ prefix: "" }), "plain.png")).toBe("internal");
  });
});
