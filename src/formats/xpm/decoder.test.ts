import { expect, test } from "vitest";
import { plan } from "../../../test/plans.ts";
import { memoryReader } from "../../../test/readers.ts";
import { Config } from "../../config/store.ts";
import type { Rect } from "../../core/geometry.ts";
import { decodingKeys } from "../shared/keys.ts";
import { sniff } from "../sniff.ts";
import { createXpmDecoder } from "./decoder.ts";

const signal = new AbortController().signal;
const decoder = createXpmDecoder(new Config().view(decodingKeys));

const read = async (text: string, region?: Rect): Promise<number[]> => {
  const reader = memoryReader(Buffer.from(text, "latin1"));
  expect(await sniff(reader, signal)).toBe("xpm");
  const info = await decoder.info(reader, signal);
  const part = region ?? { x: 0, y: 0, ...info.pages[0].size };
  const raster = await decoder.read(
    reader,
    info,
    { page: 0, region: part, atLeast: part },
    plan,
    signal,
  );
  return [...(await raster.image.raw().toBuffer())];
};

const third = (...strings: readonly string[]): string =>
  `/* XPM */\nstatic char *a[] = {\n/* a "comment" */\n${strings.map((text) => `"${text}"`).join(",\n")}};\n`;

test("reads XPM3 with colours by number and name, the best visual, and several characters per pixel", async () => {
  const text = third(
    "3 2 5 2",
    "   c #f00",
    ".. s back m white c light sea green",
    '\\"a m black g4 gray50 g gray30',
    "xx c #123456",
    "yy\tc\t#ffff80000000",
    '  ..\\"a',
    "xxyy  ",
  );
  expect(await read(text)).toEqual([
    ...[255, 0, 0, 32, 178, 170, 77, 77, 77],
    ...[18, 52, 86, 255, 128, 0, 255, 0, 0],
  ]);
  const corner = await read(text, { x: 1, y: 1, width: 1, height: 1 });
  expect(corner).toEqual([255, 128, 0]);
});

test("reads None as transparent, and X11's numbered shades and greys", async () => {
  const text = third("4 1 4 1", "a c None", "b c AntiqueWhite3", "c c grey90", "d c navy", "abcd");
  expect(await read(text)).toEqual([
    ...[0, 0, 0, 0, 205, 192, 176, 255, 229, 229, 229, 255, 0, 0, 128, 255],
  ]);
});

test("reads versions 1 and 2", async () => {
  const second = "! XPM2\n2 1 2 1\na c red\nb c #00ff00\nab\n";
  expect(await read(second)).toEqual([255, 0, 0, 0, 255, 0]);
  const first = `#define x_format 1
#define x_width 2
#define x_height 1
#define x_ncolors 2
#define x_chars_per_pixel 1
static char *x_colors[] = { "a", "red", "b", "#00ff00" };
static char *x_pixels[] = { "ab" };`;
  expect(await read(first)).toEqual([255, 0, 0, 0, 255, 0]);
});

test("rejects missing, unknown and excessive parts", async () => {
  const refused = async (text: string, message: RegExp): Promise<void> => {
    await expect(read(text)).rejects.toMatchObject({
      failure: "unreadable",
      message: expect.stringMatching(message),
    });
  };
  await refused(third("2 2 1 1", "a c red", "aa"), /4 strings .* are 3/);
  await refused(third("2 1 1 1", "a c red", "ab"), /known colour .* "b"/);
  await refused(third("2 1 1 1", "a c red", "a"), /known colour/);
  await refused(third("1 1 1 1", "a c reddish", "a"), /X11 colour name .* "reddish"/);
  await refused(third("1 1 1 99", "a"), /1 to 16/);
  await refused(third("0 1 1 1", "a"), /width/);
});

test("scans hundreds of thousands of strings only once", async () => {
  const colours = Array.from(
    { length: 300_000 },
    (_, n) => `${(n + 46_656).toString(36)} c #123456`,
  );
  const rows = Array<string>(600).fill("1000".repeat(500));
  const strings = ["500 600 300000 4", ...colours, ...rows].map((one) => `"${one}",\n`);
  const reader = memoryReader(
    Buffer.from(`/* XPM */\nstatic char *a[] = {\n${strings.join("")}};\n`, "latin1"),
  );
  const info = await decoder.info(reader, signal);
  expect(info.pages[0].size).toEqual({ width: 500, height: 600 });
});

test("rejects an unreasonable number of colours", async () => {
  const text = third("2 1 65537 4", ...Array<string>(65_537).fill("aaaa c red"), "aaaaaaaa");
  await expect(read(text)).rejects.toThrow("at most 65536 colours");
});
