import { execFileSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  type CorpusFile,
  corpusFiles,
  corpusIsHere,
  corpusIsMissing,
  corpusPath,
} from "../../../test/corpus.ts";
import { plan } from "../../../test/plans.ts";
import { fileReaderOf, memoryReader } from "../../../test/readers.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { ffmpegIsHere, ffmpegIsMissing, makeVideo } from "../../../test/video.ts";
import { Config } from "../../config/store.ts";
import { DecoderLost } from "../../core/errors.ts";
import { area } from "../../core/geometry.ts";
import type { RangeReader } from "../../core/range-reader.ts";
import { createCodecs } from "../index.ts";
import { prepareVips } from "../libvips/setup.ts";
import { Resources } from "../pool/resources.ts";
import { sniff } from "../sniff.ts";
import * as running from "./run.ts";

const signal = new AbortController().signal;

const opened = async (reader: RangeReader, values: Record<string, unknown> = {}) => {
  const codecs = createCodecs(new Resources(new Config(values)));
  const format = await sniff(reader, signal);
  const { decoder } = format === undefined ? {} : await codecs(format);
  if (decoder === undefined) throw new Error(`Expected a decoder, got none for ${format}`);
  const info = await decoder.info(reader, signal);
  const [{ size }] = info.pages;
  const window = (page: number) => ({ page, region: { x: 0, y: 0, ...size }, atLeast: size });
  return {
    info,
    size,
    frame: async (second: number, until = signal) => {
      const { image } = await decoder.read(reader, info, window(second), plan, until);
      return image.raw().toBuffer();
    },
  };
};

/** Offset of the matrix from the name of a track header of version 0 (ISO/IEC 14496-12, 8.3.2). */
const matrixInTrack = 44;

/** The mean colour, as 0 to 255. */
const meanOf = (pixels: Uint8Array): number[] =>
  [0, 1, 2].map((band) => {
    let sum = 0;
    for (let at = band; at < pixels.length; at += 3) sum += pixels[at] ?? 0;
    return Math.round((sum * 3) / pixels.length);
  });

const isPageCached = (colour: readonly number[], wanted: readonly number[]): boolean =>
  colour.every((value, band) => Math.abs(value - (wanted[band] ?? 0)) <= 12);

const colours = { red: [255, 0, 0], lime: [0, 255, 0], blue: [0, 0, 255] } as const;
const names = Object.keys(colours) as (keyof typeof colours)[];

describe.skipIf(!ffmpegIsHere)("a video read by FFmpeg", () => {
  beforeAll(prepareVips);

  const video = async (
    name: string,
    options: readonly string[] = [],
    shown: readonly string[] = names,
  ): Promise<string> => {
    const path = join(await temporaryFolder(), name);
    makeVideo(path, shown, options);
    return path;
  };

  const mpeg4 = ["-c:v", "mpeg4", "-q:v", "2"];
  const mpeg1 = ["-c:v", "mpeg1video", "-q:v", "2"];

  test.each([
    ["a.avi", "avi", mpeg4],
    ["a.flv", "flv", ["-c:v", "flv", "-q:v", "2"]],
    ["a.mov", "mov", mpeg4],
    ["a.mp4", "mp4", mpeg4],
    ["a.mpg", "mpg", mpeg1],
    ["a.webm", "webm", ["-c:v", "libvpx", "-b:v", "2M", "-deadline", "realtime", "-cpu-used", "8"]],
    ["a.mkv", "webm", mpeg4],
  ])("%s has a frame for every second", async (name, format, options) => {
    const { info, size, frame } = await opened(await fileReaderOf(await video(name, options)));
    expect(info.format).toBe(format);
    expect(size).toEqual({ width: 160, height: 120 });
    expect(Math.abs(Number(info.seconds) - 3)).toBeLessThan(0.2);
    for (const [second, colour] of names.entries()) {
      const mean = meanOf(await frame(second));
      expect(isPageCached(mean, colours[colour]), `${mean} at second ${second}`).toBe(true);
    }
    await expect(frame(7)).rejects.toMatchObject({ failure: "missing" });
  });

  test("repeats its last frame until the end, however long", async () => {
    const path = await video("a.mkv", [...mpeg4, "-r", "1/2"], ["red", "red", "blue", "blue"]);
    const { info, frame } = await opened(await fileReaderOf(path));
    expect(info.seconds).toBe(6);
    expect(isPageCached(meanOf(await frame(5)), colours.blue)).toBe(true);
    await expect(frame(6)).rejects.toMatchObject({ failure: "missing" });
  });

  test("has frames until its end as a bare MPEG stream", async () => {
    const options = [...mpeg1, "-f", "mpeg1video"];
    const { info, size, frame } = await opened(await fileReaderOf(await video("a.mpg", options)));
    expect(info.format).toBe("mpg");
    expect(isPageCached(meanOf(await frame(0)), colours.red)).toBe(true);
    expect(Math.abs(Number(info.seconds) - 3)).toBeLessThan(0.1);
    expect(await frame(2)).toHaveLength(area(size) * 3);
    await expect(frame(4)).rejects.toMatchObject({ failure: "missing" });
  });

  test("is scanned for its duration when its header states none", async () => {
    const path = await video("a.mkv", [...mpeg4, "-live", "1"]);
    const { info, frame } = await opened(await fileReaderOf(path));
    expect(Math.abs(Number(info.seconds) - 3)).toBeLessThan(0.1);
    expect(isPageCached(meanOf(await frame(2)), colours.blue)).toBe(true);
  });

  test("has an unknown duration when finding it takes too long", async () => {
    const path = await video("a.mpg", mpeg1);
    const real = running.runProgram;
    const run = vi.spyOn(running, "runProgram").mockImplementation(async (given) => {
      const isOfEnd = given.args.some((arg) => arg.startsWith("packet="));
      return isOfEnd ? { end: "late", output: new Uint8Array(), complaint: "" } : real(given);
    });
    const { info, frame } = await opened(await fileReaderOf(path));
    expect(info.seconds).toBe("unknown");
    expect(isPageCached(meanOf(await frame(2)), colours.blue)).toBe(true);
    run.mockRestore();
  });

  test("is scaled to square pixels", async () => {
    const path = await video("a.mp4", [...mpeg4, "-aspect", "16:9"]);
    const { size, frame } = await opened(await fileReaderOf(path));
    expect(size).toEqual({ width: 213, height: 120 });
    expect(await frame(0)).toHaveLength(area(size) * 3);
  });

  test("keeps its stored pixels when rotated, and reports its orientation", async () => {
    const upright = await video("a.mp4", mpeg4);
    const turned = join(await temporaryFolder(), "turned.mp4");
    const bytes = await readFile(upright);
    const matrix = bytes.indexOf("tkhd") + matrixInTrack;
    for (const [at, number] of [0, 65_536, 0, -65_536, 0].entries())
      bytes.writeInt32BE(number, matrix + 4 * at);
    await writeFile(turned, bytes);
    const { info, size } = await opened(await fileReaderOf(turned));
    expect(size).toEqual({ width: 160, height: 120 });
    expect(info.pages[0].orientation).toBe(6);
  });

  test("is read from a temporary copy of limited size when it is not a local file", async () => {
    const reader = await fileReaderOf(await video("a.mp4", mpeg4));
    const { path: _, ...remote } = reader;
    // Other tests make copies at the same time.
    const folder = await temporaryFolder();
    vi.stubEnv("TMPDIR", folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { frame } = await opened(remote);
    expect(isPageCached(meanOf(await frame(1)), colours.lime)).toBe(true);
    expect(await readdir(folder)).toEqual([]);
    await expect(opened(remote, { "processor.video.max_copied_bytes": 100 })).rejects.toThrow(
      "at most 100 bytes, since it is not a local file",
    );
  });

  test("shares one run between requests for the same frame and caches the result", async () => {
    const { frame } = await opened(await fileReaderOf(await video("a.mp4", mpeg4)));
    const run = vi.spyOn(running, "runProgram");
    const left = new AbortController();
    const first = frame(2, left.signal);
    const others = [frame(2), frame(2), frame(2)];
    await vi.waitFor(() => expect(run).toHaveBeenCalled());
    left.abort(new Error("left"));
    await expect(first).rejects.toThrow("left");
    for (const pixels of await Promise.all(others))
      expect(isPageCached(meanOf(pixels), colours.blue)).toBe(true);
    await frame(2);
    expect(run).toHaveBeenCalledTimes(1);
    run.mockRestore();
  });

  test("is rejected when a frame exceeds processor.max_decoded_bytes", async () => {
    const path = await video("a.mp4", [...mpeg4, "-s", "1600x1200"]);
    await expect(
      opened(await fileReaderOf(path), { "processor.max_decoded_bytes": 1_048_576 }),
    ).rejects.toMatchObject({ failure: "unreadable" });
  });

  test.each([
    ["a list of videos", "#EXTM3U\n#EXTINF:1,\nfile:///etc/hostname\n"],
    ["a script", "ffconcat version 1.0\nfile /etc/hostname\n"],
    ["nothing more", ""],
    ["what is no box", "\u00ff".repeat(1_000)],
  ])("is rejected when its header is followed by %s", async (_, rest) => {
    const path = join(await temporaryFolder(), "a.mp4");
    await writeFile(path, `\0\0\0\x18ftypisom\0\0\0\0isommp41${rest}`, "latin1");
    await expect(opened(await fileReaderOf(path))).rejects.toMatchObject({
      failure: "unreadable",
    });
  });

  test("reports one lost decoder when several requests wait for a killed run", async () => {
    const { frame } = await opened(await fileReaderOf(await video("a.mp4", mpeg4)));
    const run = vi
      .spyOn(running, "runProgram")
      .mockResolvedValue({ end: "killed", output: new Uint8Array(), complaint: "" });
    const ends = await Promise.allSettled([frame(1), frame(1), frame(1)]);
    run.mockRestore();
    const failures = ends.map((end) => (end.status === "rejected" ? end.reason : undefined));
    for (const failure of failures) expect(failure).toMatchObject({ failure: "unreadable" });
    expect(failures.filter((failure) => failure instanceof DecoderLost)).toHaveLength(1);
  });

  test("is rejected when it contains only sound", async () => {
    const path = join(await temporaryFolder(), "sound.mp4");
    execFileSync("ffmpeg", [
      ...["-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=d=1", "-c:a", "aac", path],
    ]);
    await expect(opened(await fileReaderOf(path))).rejects.toThrow("this one has none");
  });
});

test("a video without FFmpeg is rejected with the name of the missing program", async () => {
  const reader = memoryReader(Buffer.from("\0\0\0\x18ftypisom\0\0\0\0isommp41", "latin1"));
  const folder = await temporaryFolder();
  await expect(
    opened(reader, { "FfmpegProcessor.path_to_binaries": folder }),
  ).rejects.toMatchObject({
    failure: "unreadable",
    message: "Cannot read MP4 here: the program ffmpeg is missing.",
  });
});

describe.skipIf(!ffmpegIsHere || !corpusIsHere)("videos of the corpus", () => {
  test.each(corpusFiles("video").map((file) => [file.path, file] as const))(
    "%s",
    async (_, file) => {
      const { info, size, frame } = await opened(await fileReaderOf(corpusPath(file)));
      expect(size).toEqual({ width: file.width, height: file.height });
      if (file.rotation === undefined) expect(info.pages[0].orientation).toBe(1);
      else expect(info.pages[0].orientation).toBe(6);
      if (info.seconds !== "unknown")
        expect(Math.abs(Number(info.seconds) - (file.duration_s ?? 0))).toBeLessThan(0.1);
      const apart = distance(cells(await frame(0), size, file), file);
      expect(apart, "mean difference of the sixteen colours").toBeLessThan(4);
    },
  );

  test("include video.mpg, whose last second has a frame", async () => {
    const file = corpusFiles("video").find(({ path }) => path === "video/video.mpg");
    if (file === undefined) throw new Error("Expected a video of some seconds");
    const { info, frame, size } = await opened(await fileReaderOf(corpusPath(file)));
    // As in ffprobe's format=duration, including the duration of its last frame.
    expect(Math.abs(Number(info.seconds) - 5.0155)).toBeLessThan(0.05);
    expect(await frame(5)).toHaveLength(area(size) * 3);
    await expect(frame(6)).rejects.toMatchObject({ failure: "missing" });
  });
});

/** The mean colours of a 4 x 4 division, upright. */
const cells = (
  pixels: Uint8Array,
  { width, height }: { readonly width: number; readonly height: number },
  { rotation }: CorpusFile,
): number[] => {
  const sums = Array.from({ length: 48 }, () => 0);
  const counts = Array.from({ length: 16 }, () => 0);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const [across, down] = [Math.floor((x * 4) / width), Math.floor((y * 4) / height)];
      const cell = rotation === -90 ? across * 4 + (3 - down) : down * 4 + across;
      counts[cell] = (counts[cell] ?? 0) + 1;
      for (let band = 0; band < 3; band++)
        sums[cell * 3 + band] =
          (sums[cell * 3 + band] ?? 0) + (pixels[(y * width + x) * 3 + band] ?? 0);
    }
  return sums.map((sum, at) => sum / Math.max(1, counts[Math.floor(at / 3)] ?? 1));
};

const distance = (colours: readonly number[], { grid = [] }: CorpusFile): number => {
  const wanted = grid.flatMap((colour) => [...Buffer.from(colour, "hex")]);
  const sum = colours.reduce((sum, value, at) => sum + Math.abs(value - (wanted[at] ?? 0)), 0);
  return sum / colours.length;
};

if (!ffmpegIsHere) test(ffmpegIsMissing, ({ skip }) => skip(ffmpegIsMissing));
if (!corpusIsHere) test(corpusIsMissing, ({ skip }) => skip(corpusIsMissing));
