import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { Config } from "../config/store.ts";
import type { FormatName } from "../core/formats.ts";
import { availability, demandReader, outputsHere } from "./availability.ts";
import { factsOf, formatNamed, registry } from "./registry.ts";
import { demandWriter } from "./shared/demand-writer.ts";
import { npmPackage } from "./shared/library.ts";

const configOf = (values: Record<string, unknown> = {}) => new Config(values);

const recordOf = (name: FormatName) => {
  const format = formatNamed(name);
  if (format === undefined) throw new Error(`Expected a format ${name}`);
  return format;
};

const of = async (format: FormatName, values: Record<string, unknown> = {}) => {
  const found = await availability(configOf(values));
  const one = found.find((one) => one.format === format);
  if (one === undefined) throw new Error(`Expected something about ${format}`);
  return one;
};

/** A folder of programs that only print their version. */
const programs = async (...names: readonly string[]): Promise<string> => {
  const folder = await temporaryFolder();
  for (const name of names) {
    const file = join(folder, name);
    await writeFile(file, `#!/bin/sh\necho "${name} version 9.8-test and more"\n`);
    await chmod(file, 0o755);
  }
  return folder;
};

describe("the format report", () => {
  test("has one entry for each named format", async () => {
    const found = await availability(configOf());
    expect(found.map(({ format }) => format)).toEqual(registry.map(({ name }) => name));
    for (const { format, name } of found) expect(name).toBe(factsOf(format).name);
  });

  test("names the libraries that read and write each format, with versions", async () => {
    const libvips = { available: true, by: "libvips", version: expect.stringMatching(/^\d+\.\d+/) };
    expect(await of("png")).toEqual({ format: "png", name: "PNG", read: libvips, write: libvips });
    const pdf = await of("pdf");
    expect(pdf.read).toMatchObject({ by: "PDFium", version: expect.stringMatching(/^\d+\./) });
  });

  test("names the keys to switch on", async () => {
    const key = "processor.svg.enabled";
    const off = await of("svg");
    expect(off.read).toEqual({
      available: false,
      by: "libvips",
      lacks: { kind: "key", name: key, remedy: "set it to true" },
    });
    expect(off.write).toEqual({ available: false });
    expect((await of("svg", { [key]: true })).read.available).toBe(true);
  });

  test.skipIf(process.platform === "win32")(
    "names a missing program and where it was searched for, until it is found",
    async () => {
      const key = "FfmpegProcessor.path_to_binaries";
      const folder = await programs("ffmpeg");
      const { read } = await of("webm", { [key]: folder });
      expect(read).toMatchObject({
        available: false,
        lacks: { kind: "program", name: "ffprobe", remedy: `${key} does not lead to it` },
      });
      await writeFile(join(folder, "ffprobe"), "#!/bin/sh\n", { mode: 0o755 });
      expect((await of("webm", { [key]: folder })).read).toEqual({
        available: true,
        by: "FFmpeg",
        version: "9.8-test",
      });
    },
  );

  test.skipIf(process.platform === "win32")(
    "counts a program that does not start as missing",
    async () => {
      const folder = await programs("ffprobe");
      await writeFile(join(folder, "ffmpeg"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
      const { read } = await of("mp4", { "FfmpegProcessor.path_to_binaries": folder });
      expect(read.lacks?.name).toBe("ffmpeg");
    },
  );
});

test("a package that is not installed is named, with the command that installs it", async () => {
  const find = (name: string) => npmPackage(name).find(configOf());
  expect(await find("vitrine-has-no-such-package")).toEqual({
    lacks: {
      kind: "package",
      name: "vitrine-has-no-such-package",
      remedy: "npm install vitrine-has-no-such-package",
    },
  });
  expect(await find("sharp")).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
});

test("a format that is not supported is refused with the reason", async () => {
  await expect(demandReader(recordOf("png"), configOf())).resolves.toBeUndefined();
  await expect(demandReader(recordOf("svg"), configOf())).rejects.toMatchObject({
    failure: "unreadable",
    message: expect.stringContaining(
      "Cannot read SVG here: processor.svg.enabled is not switched on",
    ),
  });
});

test("a format whose package is missing is refused with the command that installs it", async () => {
  await expect(demandWriter("JPEG 2000", npmPackage("sharp"))).resolves.toBeUndefined();
  await expect(demandWriter("JPEG 2000", npmPackage("vitrine-has-none"))).rejects.toMatchObject({
    failure: "unimplemented",
    message:
      "Cannot write JPEG 2000 here: the package vitrine-has-none is missing (npm install vitrine-has-none).",
  });
});

test("a format can be written where its encoder and all requirements are available", async () => {
  const { formats: written, lacking } = await outputsHere(configOf());
  expect(written).toEqual(expect.arrayContaining(["jpg", "png", "tif", "webp"]));
  expect(written).not.toContain("heic");
  for (const format of lacking.keys()) expect(written).not.toContain(format);
});
