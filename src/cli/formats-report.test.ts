import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { environment } from "../config/environment.ts";
import type { Availability } from "../formats/availability.ts";
import { checkFormats } from "./format-check.ts";
import { formatTable } from "./formats-report.ts";

const lacks = { kind: "program", name: "ffmpeg", remedy: "install FFmpeg" } as const;
const found: readonly Availability[] = [
  {
    format: "png",
    name: "PNG",
    read: { available: true, by: "libvips", version: "8.1" },
    write: { available: true, by: "libvips", version: "8.1" },
  },
  {
    format: "avi",
    name: "AVI",
    read: { available: false, by: "FFmpeg", lacks },
    write: { available: false },
  },
  {
    format: "mp4",
    name: "MP4",
    read: { available: false, by: "FFmpeg", lacks },
    write: { available: false },
  },
];

test("formats are listed in a table, with missing requirements once", () => {
  expect(formatTable(found).split("\n")).toEqual([
    "format       read by      written by",
    "png     PNG  libvips 8.1  libvips 8.1",
    "avi     AVI  -            -",
    "mp4     MP4  -            -",
    "",
    "AVI, MP4 not read: the program ffmpeg is missing (install FFmpeg).",
    "",
  ]);
  expect(formatTable(found.slice(0, 1)).split("\n")).toHaveLength(3);
});

const check = async (text: string) => {
  const folder = await temporaryFolder({ "a.properties": text });
  return checkFormats(`${folder}/a.properties`, environment());
};

test("a configuration that needs missing programs causes a warning", async () => {
  const folder = await temporaryFolder();
  const { warnings, unavailable } = await check(`FfmpegProcessor.path_to_binaries = ${folder}\n`);
  expect(warnings.map(({ message }) => message)).toEqual([
    "FfmpegProcessor.path_to_binaries: expected the folder of ffmpeg and ffprobe, but the program ffmpeg is missing there.",
  ]);
  expect(unavailable).toContainEqual(
    expect.stringMatching(/MP4, .*not read: the program ffmpeg is missing/),
  );
});

test("a configuration that prefers a format that cannot be written causes a warning", async () => {
  const { warnings } = await check("endpoint.iiif.preferred_formats = webp, mp4, nonsense\n");
  expect(warnings.map(({ message }) => message)).toEqual(
    ["mp4", "nonsense"].map(
      (name) =>
        `endpoint.iiif.preferred_formats: expected formats that can be written here, got '${name}'.`,
    ),
  );
});

test("a disabled format is not missing", async () => {
  const { warnings, unavailable } = await check("processor.svg.enabled = false\n");
  expect(warnings).toEqual([]);
  expect(unavailable.filter((line) => line.includes("SVG"))).toEqual([]);
});
