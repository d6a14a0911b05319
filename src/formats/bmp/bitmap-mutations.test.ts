import { expect, test } from "vitest";
import { amount } from "../../../test/amount.ts";
import { bmpFile } from "../../../test/bitmaps.ts";
import { useDamaged } from "../../../test/mutating.ts";
import { Config } from "../../config/store.ts";
import { decodingKeys } from "../shared/keys.ts";
import { createXpmDecoder } from "../xpm/decoder.ts";
import { createBmpDecoder } from "./decoder.ts";

const count = amount(5_000);
const settings = new Config().view(decodingKeys);

const greys = Array.from({ length: 256 }, (_, at) => [at, at, at, 0]).flat();
const noise = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 3)) & 255);
const size = { width: 20, height: 12 };
const runs = Array.from({ length: 12 }, (_, row) => [9, row, 0, 3, 1, 2, 3, 0, 8, 5, 0, 0]).flat();

test(`${count} corrupt BMP files are read or refused, never beyond their end`, {
  timeout: 300_000,
}, async () => {
  const originals = [
    bmpFile({ ...size, header: 12, bits: 24, pixels: noise(60 * 12) }),
    bmpFile({ ...size, bits: 8, palette: greys, pixels: noise(20 * 12) }),
    bmpFile({
      ...size,
      bits: 8,
      compression: 1,
      palette: greys,
      pixels: Uint8Array.from([...runs, 0, 1]),
    }),
    bmpFile({
      ...size,
      bits: 4,
      compression: 2,
      palette: greys.slice(0, 64),
      pixels: Uint8Array.from([...runs, 0, 1]),
    }),
    bmpFile({
      ...size,
      header: 124,
      bits: 32,
      compression: 3,
      masks: [0xff0000, 0xff00, 0xff, 0xff000000],
      profile: noise(200),
      pixels: noise(80 * 12),
    }),
    bmpFile({ ...size, height: -12, bits: 16, pixels: noise(40 * 12) }),
  ];
  const outcomes = await useDamaged(createBmpDecoder(settings), originals, { count, seed: 1_987 });
  // Otherwise the damage would be too much or too little to show anything.
  expect(outcomes.read).toBeGreaterThan(count / 10);
  expect(outcomes.refused).toBeGreaterThan(count / 10);
});

test(`${count} corrupt XPM files are read or refused`, { timeout: 300_000 }, async () => {
  const row = "ab.".repeat(8);
  const values = '"24 9 3 1", "a c red", "b c #00ff7f s x m white", ". c None"';
  const rows = Array.from({ length: 9 }, () => `"${row}"`).join(",\n");
  const originals = [
    `/* XPM */ static char *x[] = { ${values}, ${rows} };`,
    `! XPM2\n24 9 3 1\na c red\nb c gray40\n. c None\n${`${row}\n`.repeat(9)}`,
    `#define x_format 1\n#define x_width 24\n#define x_height 9\n#define x_ncolors 3\n#define x_chars_per_pixel 1\nstatic char *c[] = {"a", "red", "b", "blue", ".", "None"};\nstatic char *p[] = {${rows}};`,
  ].map((text) => Buffer.from(text, "latin1"));
  const outcomes = await useDamaged(createXpmDecoder(settings), originals, { count, seed: 1_989 });
  // Few changes to a text leave it an image.
  expect(outcomes.read).toBeGreaterThan(count / 25);
  expect(outcomes.refused).toBeGreaterThan(count / 10);
});
