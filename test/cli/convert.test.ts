import { spawnSync } from "node:child_process";
import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { noZstdEncoder, zstdEncoder } from "../../src/formats/write/zstd.ts";
import { difference, pixelsOf } from "../likeness.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { ffmpegIsHere, ffmpegIsMissing, makeVideo } from "../video.ts";
import { run, start } from "./program.ts";

const sample = (name: string): string =>
  fileURLToPath(new URL(`../../samples/${name}`, import.meta.url));

/** The file size in a line, which does not matter. */
const withoutSize = (text: string): string => text.replace(/\d+ bytes/, "N bytes");

const rdf = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
  xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
  xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="a shelf"
  xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6"/></rdf:RDF></x:xmpmeta>`;

/** The files of a folder and its subfolders, including hidden ones, as relative paths. */
const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));

/** For tests that start several programs on a possibly busy machine. */
const patience = 90_000;

describe("convert", { timeout: patience }, () => {
  test("makes a pyramid whose tiles the server sends as stored", async () => {
    const folder = await temporaryFolder();
    const out = join(folder, "a.tif");
    const { code, stdout, stderr } = await run(["convert", sample("chart.jpg"), out]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(withoutSize(stderr)).toMatch(
      /^(?:.*a\.tif {2}\d+ %.*\n)*.*a\.tif {2}100 %\n.*a\.tif: 1600 x 1200, JPEG to TIFF, N bytes\n$/,
    );
    const { mean } = difference(
      await pixelsOf(await readFile(out)),
      await pixelsOf(await readFile(sample("chart.jpg"))),
    );
    expect(mean).toBeLessThan(3);
    const env = {
      FILESYSTEMSOURCE_BASICLOOKUPSTRATEGY_PATH_PREFIX: `${folder}/`,
    };
    const path = "/iiif/3/a.tif/512,512,512,512/256,256/0/default.jpg";
    const explained = await run(["explain", "--json", path], { env });
    expect(JSON.parse(explained.stdout)).toMatchObject({ way: "stored", reading: { levels: 4 } });
    expect(await readdir(folder)).toEqual(["a.tif"]);
  });

  test("turns the image upright and preserves its metadata, losslessly if requested", async () => {
    const folder = await temporaryFolder();
    const [from, out] = [join(folder, "a.tif"), join(folder, "b.tif")];
    const turned = await sharp(sample("grey-16-bit.tif"))
      .toColourspace("grey16")
      .withExif({
        IFD0: { Artist: "Vitrine", Copyright: "none" },
        IFD2: { LensModel: "glass" },
      })
      // Which makes it RGB.
      .withMetadata({ orientation: 6 })
      .withXmp(rdf)
      .png()
      .toBuffer();
    await writeFile(from, turned);
    const compression = zstdEncoder() ? "zstd" : "lzw";
    const options = [
      "--compression",
      compression,
      "--pyramid",
      "subifds",
      "--tile",
      "128",
      "--quiet",
    ];
    expect(await run(["convert", from, out, ...options])).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
    const seen = JSON.parse((await run(["inspect", "--json", out])).stdout);
    const { width, height } = await sharp(turned).metadata();
    expect(seen).toMatchObject({
      format: "tif",
      pages: [
        {
          size: { width: height, height: width },
          orientation: 1,
          colour: { bits: 16, model: "rgb" },
        },
      ],
      metadata: {
        exif: {
          image: { Artist: "Vitrine", Copyright: "none", Orientation: 1 },
          photo: { LensModel: "glass" },
        },
        xmp: {},
        problems: [],
      },
    });
    expect((await readFile(out, "latin1")).match(/tiff:Orientation="."/g)).toEqual([
      'tiff:Orientation="1"',
    ]);
    const back = join(folder, "c.png");
    expect(await run(["convert", out, back, "--quiet"])).toMatchObject({ code: 0 });
    const [one, other] = await Promise.all(
      [sharp(turned, { ignoreIcc: true }).rotate(), sharp(back, { ignoreIcc: true })].map((image) =>
        image.toColourspace("rgb16").raw({ depth: "ushort" }).toBuffer(),
      ),
    );
    expect(Buffer.compare(one ?? Buffer.alloc(0), other ?? Buffer.alloc(1))).toBe(0);
  });

  test("makes an image in another format, of the requested page", async () => {
    const folder = await temporaryFolder();
    const out = join(folder, "a.webp");
    const { code } = await run([
      "convert",
      sample("three-pages.tif"),
      out,
      "--page",
      "2",
      "--quality",
      "50",
    ]);
    expect(code).toBe(0);
    expect(await sharp(out).metadata()).toMatchObject({ format: "webp" });
    const none = await run([
      "convert",
      sample("three-pages.tif"),
      join(folder, "b.png"),
      "--page",
      "4",
    ]);
    expect(none).toMatchObject({ code: 1 });
    expect(none.stderr).toContain("page: expected one from 1 to 3 in this image, got 4");
    expect(await readdir(folder)).toEqual(["a.webp"]);
  });

  test("reads, renders and encodes by the configuration, except for limits of time and size", async () => {
    const cwd = await temporaryFolder({
      "a.svg": `<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"/>`,
      "c.properties": `processor.svg.enabled = true
processor.background_color = red
processor.max_scanned_pixels = 1000000
processor.jpg.quality = 20
`,
    });
    const red = await run(["convert", "a.svg", "a.jpg", "--config", "c.properties"], { cwd });
    expect(red).toMatchObject({ code: 0 });
    const { dominant } = await sharp(join(cwd, "a.jpg")).stats();
    expect(dominant.r).toBeGreaterThan(200);
    expect(dominant.g).toBeLessThan(50);
    const off = await run(["convert", "a.svg", "b.jpg"], { cwd });
    expect(off).toMatchObject({ code: 1 });
    expect(off.stderr).toContain("processor.svg.enabled");
    const options = ["--quiet", "--config", "c.properties"];
    const large = await run(["convert", sample("chart.jpg"), "low.jpg", ...options], { cwd });
    expect(large).toEqual({ code: 0, stdout: "", stderr: "" });
    const high = ["--quality", "90", ...options];
    expect(await run(["convert", sample("chart.jpg"), "high.jpg", ...high], { cwd })).toMatchObject(
      { code: 0 },
    );
    const [low, more] = await Promise.all(
      ["low.jpg", "high.jpg"].map((name) => stat(join(cwd, name))),
    );
    expect(more?.size).toBeGreaterThan(2 * (low?.size ?? 0));
    const absent = await run(["convert", "a.svg", "b.jpg", "--config", "absent"], { cwd });
    expect(absent).toMatchObject({ code: 2 });
    expect(absent.stderr).toContain("Configuration: expected a configuration file at");
  });

  test.skipIf(!ffmpegIsHere)("makes an image of a second of a video", async () => {
    const cwd = await temporaryFolder();
    makeVideo(join(cwd, "a.mp4"), ["red", "lime", "blue"], ["-c:v", "mpeg4", "-q:v", "2"]);
    const brightest = async (out: string, ...options: readonly string[]): Promise<number> => {
      expect(await run(["convert", "a.mp4", out, ...options], { cwd })).toMatchObject({ code: 0 });
      const { channels } = await sharp(join(cwd, out)).stats();
      const means = channels.map(({ mean }) => mean);
      return means.indexOf(Math.max(...means));
    };
    expect(await brightest("start.png")).toBe(0);
    expect(await brightest("1.png", "--page", "1")).toBe(1);
    expect(await brightest("2.png", "--page", "2")).toBe(2);
    const after = await run(["convert", "a.mp4", "b.png", "--page", "3"], { cwd });
    expect(after).toMatchObject({ code: 1 });
    expect(after.stderr).toContain("expected a second of this video");
    expect(await readdir(cwd)).not.toContain("b.png");
  });

  test("replaces files only with --force, and never the file it reads", async () => {
    const folder = await temporaryFolder({ "b.png": "kept" });
    const [from, out, link] = ["a.jpg", "b.png", "c.jpg"].map((name) => join(folder, name));
    if (from === undefined || out === undefined || link === undefined)
      throw new Error("three names");
    await copyFile(sample("chart-orientation-6.jpg"), from);
    await symlink(from, link);
    const refused = await run(["convert", from, out]);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain("--force replaces it");
    expect(await readFile(out, "utf8")).toBe("kept");
    const same = await run(["convert", from, link, "--force"]);
    expect(same).toMatchObject({ code: 2 });
    expect(same.stderr).toContain("are the same");
    expect(await run(["convert", from, out, "--force", "--quiet"])).toMatchObject({ code: 0 });
    expect(await sharp(out).metadata()).toMatchObject({ format: "png" });
  });

  test.each([
    [[], "missing required argument 'in'"],
    [["nothing.jpg", "a.tif"], "there is no file 'nothing.jpg'"],
    [
      [sample("chart.jpg"), "a.doc"],
      "expected OUT to end in .jpg, .jpeg, .png, .tif, .tiff, .ptif, .gif,",
    ],
    [
      [sample("chart.jpg"), "a.tif", "--tile", "100"],
      "argument '100' is invalid. Expected a multiple of 16.",
    ],
    [
      [sample("chart.jpg"), "a.tif", "--compression", "rar"],
      "Allowed choices are jpeg, webp, deflate",
    ],
    [
      [sample("chart.jpg"), "a.tif", "--quality", "0"],
      "argument '0' is invalid. Expected a whole number from 1 to 100.",
    ],
    [[sample("chart.jpg"), "a.png", "--tile", "256"], "are for OUT in TIFF, not in PNG"],
    [[sample("chart.jpg"), "a.tif", "--workers", "2"], "are for folders, but IN is a file"],
    [[".", "out", "--format", "doc"], "--format: expected .jpg, .jpeg, .png"],
    [[".", "."], "expected two folders, but '.' and '.' are the same"],
  ])("rejects %j with the reason", async (args, said) => {
    const cwd = await temporaryFolder();
    const { code, stderr } = await run(["convert", ...args], { cwd });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) });
    expect(await readdir(cwd)).toEqual([]);
  });

  test("gives every level its last column and row, so that edges come from a single tile", async () => {
    const folder = await temporaryFolder();
    const from = join(folder, "a.png");
    await sharp(sample("chart.jpg")).resize(1_111, 777, { fit: "fill" }).png().toFile(from);
    const out = join(folder, "b.tif");
    expect(await run(["convert", from, out, "--quiet"])).toMatchObject({ code: 0 });
    const env = { FILESYSTEMSOURCE_BASICLOOKUPSTRATEGY_PATH_PREFIX: `${folder}/` };
    // The last tile of the second level: 556 x 389 in tiles of 256.
    const path = "/iiif/3/b.tif/1024,512,87,265/44,133/0/default.jpg";
    const explained = await run(["explain", "--json", path], { env });
    const reading = { level: 2, size: { width: 556, height: 389 }, tiles: 1 };
    expect(JSON.parse(explained.stdout)).toMatchObject({ way: "stored", reading });
  });

  test("converts the images of a folder and its subfolders, and resumes where it stopped", async () => {
    const cwd = await temporaryFolder({ "in/notes.txt": "no image", "in/damaged.jpg": "no JPEG" });
    const images = ["a.jpg", "sub/a.jpg", "sub/deep/b.png", "sub/deep/b.webp"];
    await mkdir(join(cwd, "in/sub/deep"), { recursive: true });
    for (const name of images)
      await copyFile(sample(`chart${extname(name)}`), join(cwd, "in", name));
    const outputs = ["a.tif", "sub/a.tif", "sub/deep/b.png.tif", "sub/deep/b.webp.tif"];
    const first = await run(["convert", "in", "out", "--workers", "2"], { cwd });
    expect(first.code).toBe(1);
    expect(first.stderr).toMatch(/^Converting 5 images of in; 1 other file is skipped\.\n/);
    expect(first.stderr).toContain("Converted 4 images in ");
    expect(first.stderr).toMatch(
      /error: 1 could not be converted:\n {2}in\/damaged\.jpg: the file is in no format/,
    );
    expect((await filesIn(join(cwd, "out"))).sort()).toEqual(outputs);
    for (const name of outputs)
      expect(await sharp(join(cwd, "out", name)).metadata()).toMatchObject({
        width: 1600,
        pages: 4,
      });
    await rm(join(cwd, "in/damaged.jpg"));
    const before = await stat(join(cwd, "out/a.tif"));
    await rm(join(cwd, "out/sub/a.tif"));
    // As a killed process leaves it.
    await writeFile(join(cwd, "out/sub/.a.tif.4194305.part"), "half of it");
    const again = await run(["convert", "in", "out"], { cwd });
    expect(again.code).toBe(0);
    expect(again.stderr).toMatch(/^Converting 1 image of in; 3 are in out already, 1 other file/);
    expect((await filesIn(join(cwd, "out"))).sort()).toEqual(outputs);
    expect((await stat(join(cwd, "out/a.tif"))).mtimeMs).toBe(before.mtimeMs);
    await utimes(join(cwd, "in/a.jpg"), new Date(), new Date(Date.now() + 60_000));
    const outdated = await run(["convert", "in", "out", "--quiet"], { cwd });
    expect(outdated).toEqual({ code: 0, stdout: "", stderr: "" });
    const warned = await run(["convert", "in", "out"], { cwd });
    expect(warned.stderr).toContain("warning: a.jpg changed after being converted; --force");
  });

  test("leaves complete files only when interrupted in a folder, also by a dying process", async ({
    skip,
  }) => {
    if (process.platform !== "linux") skip("only Linux tells which processes another has started");
    const cwd = await temporaryFolder({ "in/.keep": "" });
    const { width, height } = { width: 9_000, height: 9_000 };
    const large = sharp({ create: { width, height, channels: 3, background: "#804020" } });
    await large.tiff({ tile: true, compression: "lzw" }).toFile(join(cwd, "in/a.tif"));
    await copyFile(join(cwd, "in/a.tif"), join(cwd, "in/b.tif"));
    const program = start(["convert", "in", "out", "--workers", "2", "--compression", "deflate"], {
      cwd,
    });
    await program.until((stderr) => stderr.includes("10 %"));
    const children = await readFile(`/proc/${program.pid}/task/${program.pid}/children`, "utf8");
    const [child] = children.split(" ");
    process.kill(Number(child), "SIGKILL");
    await program.until((stderr) => stderr.includes("ended unexpectedly (SIGKILL)"));
    program.signal("SIGINT");
    const { code, stderr } = await program.ended;
    expect(code).toBe(1);
    expect(stderr).toContain("Run the same command again to continue.");
    expect(await readdir(join(cwd, "out"))).toEqual([]);
  });

  const has = zstdEncoder() !== undefined;
  test.skipIf(has)(
    `rejects Zstandard where Node.js has no encoder${has ? " (skipped: this one has)" : ""}`,
    async () => {
      const cwd = await temporaryFolder();
      const args = ["convert", sample("chart.jpg"), "a.tif", "--compression", "zstd"];
      const { code, stderr } = await run(args, { cwd });
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: expect.stringContaining(noZstdEncoder()),
      });
    },
  );

  test("leaves nothing behind for an unreadable file or a missing folder", async () => {
    const folder = await temporaryFolder({ "a.jpg": "no picture" });
    const failed = await run(["convert", join(folder, "a.jpg"), join(folder, "b.tif")]);
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.stderr).toContain("in no format that this server reads");
    const nowhere = await run(["convert", sample("chart.jpg"), join(folder, "no", "b.tif")]);
    expect(nowhere).toMatchObject({ code: 1 });
    expect(nowhere.stderr).toContain("there is no such folder (ENOENT)");
    expect(await readdir(folder)).toEqual(["a.jpg"]);
  });

  test("leaves nothing behind when interrupted", async () => {
    const folder = await temporaryFolder();
    const from = join(folder, "a.tif");
    await sharp({ create: { width: 9_000, height: 9_000, channels: 3, background: "#804020" } })
      .tiff({ tile: true, compression: "lzw" })
      .toFile(from);
    const program = start(["convert", from, join(folder, "b.tif"), "--compression", "deflate"]);
    await program.until((stderr) => stderr.includes("10 %"));
    program.signal("SIGINT");
    const { code, stderr } = await program.ended;
    expect(code).toBe(1);
    expect(stderr).toContain("interrupted; nothing was written");
    expect(await readdir(folder)).toEqual(["a.tif"]);
  });

  test("does not write into a device", async ({ skip }) => {
    const device = "/dev/null";
    if ((await stat(device).catch(() => undefined)) === undefined)
      skip("there is no /dev/null here");
    const { code, stderr } = await run(["convert", sample("chart.jpg"), device, "--force"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("a folder or a device"),
    });
  });

  test("reports a full disk, and leaves nothing behind", async ({ skip }) => {
    const folder = await temporaryFolder();
    if (!canMount(folder)) skip("a small disk cannot be made here (unshare, mount)");
    const { code, stdout, stderr } = await run(
      ["convert", sample("chart.jpg"), join(folder, "a.tif")],
      {
        within: onSmallDisk(folder, '"$@"; code=$?; ls -A "$FOLDER"; exit $code'),
      },
    );
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("there is no room on the disk (ENOSPC); nothing was written"),
    });
  });
});

if (!ffmpegIsHere) test(ffmpegIsMissing, ({ skip }) => skip(ffmpegIsMissing));

/** Runs a shell script with the further arguments, with a disk of 64 kB mounted at `folder`. */
const onSmallDisk = (folder: string, script: string): string[] => [
  ...["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"],
  ...[`FOLDER=$1; shift; mount -t tmpfs -o size=64k tmpfs "$FOLDER" || exit 9; ${script}`, "sh"],
  folder,
];

const canMount = (folder: string): boolean => {
  const [program = "", ...args] = onSmallDisk(folder, "true");
  return spawnSync(program, args).status === 0;
};
