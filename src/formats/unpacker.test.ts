import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import zlib from "node:zlib";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { unlzw } from "../../test/lzw.ts";
import { random } from "../../test/random.ts";
import { memoryReader } from "../../test/readers.ts";
import { loadNative } from "../core/native.ts";
import { compileWasm } from "../core/wasm.ts";
import { compiledUnpacker } from "./compiled-codec.ts";
import { lzwUnpacker } from "./kernel-unpackers.ts";
import { nativeUnpackers } from "./native-unpackers.ts";
import { readTiff } from "./tiff-directory.ts";
import { readPages } from "./tiff-pages.ts";
import { compressions } from "./tiff-tags.ts";
import { fillTiles, storedTiles } from "./tiff-tiles.ts";
import type { Unpacked, Unpacker } from "./unpacker.ts";

const signal = new AbortController().signal;
const tiles = await compileWasm("wasm", "tiles");
const unlzwFast = lzwUnpacker(tiles);

interface Unpackers {
  readonly inflating: Unpacker;
  readonly unzstd: Unpacker;
}

const compiled: Unpackers = {
  inflating: compiledUnpacker(await compileWasm("codecs", "deflate"), tiles),
  unzstd: compiledUnpacker(await compileWasm("codecs", "zstd"), tiles),
};

const one = (unpackers: ReadonlyMap<number, Unpacker>, compression: number): Unpacker => {
  const unpacker = unpackers.get(compression);
  if (unpacker === undefined) throw new Error(`Expected an unpacker for ${compression}.`);
  return unpacker;
};

const nativeKinds = (): readonly (readonly [string, Unpackers])[] => {
  const native = loadNative();
  if (native === undefined) {
    console.info("Skipped: there are no native codecs for this machine.");
    return [];
  }
  const unpackers = nativeUnpackers(native);
  const inflating = one(unpackers, compressions.deflate);
  const unzstd = one(unpackers, compressions.zstd);
  return [["in native code", { inflating, unzstd }]];
};

const kinds = [["in WebAssembly", compiled], ...nativeKinds()] as const;

/** Runs, ramps and noise, one after the other. */
const pattern = (length: number): Uint8Array => {
  let state = 12_345;
  return Uint8Array.from({ length }, (_, at) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (at % 97 < 40 ? at >> 4 : state >>> 28) + (at % 3) * 2;
  });
};

/** The first 3,000 bytes of the pattern, by Zstandard's own encoder at level 19. */
const zstandard = Buffer.from(
  [
    "KLUv/WC4CqUuAPqBCBYaENhSyAEMwzAMsyVwGA5J2xWRslJWpNx7ExJFAWMBWgHLbvX7UC5VZ0vxaukzu+Fj/P7z32edEsPQ",
    "whatBhhwcMEGGVigAQatayknPtOME6vC1YxX+DDkW0l1Ubm0XtXHFF0j5+pe0yiQwIIIKpiAAgkgaPL4+PfVMVO15InUIqfr",
    "5+KdEn9z+f4rynsR9ntmOu4AAxAs8EADDCjggDLY2o/7MtvNVl8Jm1HvSV2TTFu5siihXI1ZpJYzexhdzggYoEABCRxAAAIG",
    "MHneZzlURbuLeRPzXgkXnu9rDfGf3pKYrpyzwpRams4gCwAAAc0AAQgAwIqrc7p7jJsY3v3x48+qoYWT+rOa/WuowT7EFTxN",
    "Lva/SZmvdHtnxn5Xua70y2dZyeSFqFr3lV5iXM9sm/HC7f6zUW+SyVO4inMprlpr9Z1ba1nnjnVjXYefZbqTZyXm7bKCVu0y",
    "4msr19bepIPMoXSWK5VaaRmjt1LLeHtfSiBhxBFFJEEEEkYMsatt5ep9dJq6yNUqHn/uo/fTeL79VPIKr1PLOBtT/EOEEEAE",
    "8cMQPggBRA9BMLykqbApx8b6KNFarBJTsnq1VpQ5xRwysq6vZO9MMTLyoIMPPOiwQw494MCDDjfskAOnaoOwaWdFtSX0nxp2",
    "8tLn0lRPsapVXosSMyo9js6qXIcGHGygoYYZbpDBBhqq1DBDld5np9Ody2Z6WsrVu8f0jdiKluau2mSLs/Ssl5Od9HQyxAAD",
    "lRequBADDFOovDCFCi88u3Kb6JrKS43KJF7Ut6nlj2plTlNaS6OKMbG+HqtF3MIKLKgwJYUWVkCBBRVSWyqmDY/ik1DmZjtl",
    "Pofc6Ntam+nOPS4r374c8birthJMIAGFEU4owQQSREhMPVpspHeOfc40fp6hQ9+ofIvRUbysysuEvTT8eOt4QfBAhA5C+MAD",
    "DkBI9tR9Act94sPGTqnqgYcdd9SRhx104JG+6SX8FU+Hll82v8lXSl0In1fdwp1WWKtnkpk/y4qi92p0yAFHHG/M4YYccCy/",
    "08rcYrwdTPTIh7ZZGRsZ96dbzvgce2tM1OvK/Bq7wYYaa6TRBhtqoIFINWpz9c80eHuYRd/oci0xYtPd9DhxskvEaplX3pxT",
    "fdAwg4wyxjiDDDHMQKmp5deyO42Xnk486Kexaizxel9nRXfVuYV/+NTJg/YfxQDDiy+6CIMLMLzoZeVuPZmw1eFOTq5Wli/V",
    "levmGMdnyKwuipoTJUwrSelyoQUWWVyxhRZYWLEe5TVbjOhzLd2w+cT4nduXrUsj09ri/vmnwW25Gn2ns4IKKaaIogopoKDC",
    "dUVVc3r+n9Omai3Furn3zya/Fy5uOws7aKURtqSryx+hcIKJJpZ4QgknmGDYJVSlONd6K9NakTFt3criCmvH5SmMLW0xjf/R",
    "aRKpg5rZhyuMrne7NIcrbDl2mt8w0xxKKaOQIgoooXwyCiieNOdtquev3enqEB/T0ufW0+oUS8y8NCg9OTKEzZtNv/6kk00+",
    "6cQTTjTZJJNONMGEk7RgL5+QpqO2GUqtzA3lOTvV0Gp3u+O6WlIrS48lc/QI9ZJKMrkEE0soqWSSSyiRxBJK1m6z9dqu2eNT",
    "rz55N/ytlLf0/Cvs/Bh91SmlpfyY1d+kRyaJRBJIHHmkkUgcYQQSRxhpzL0taum/t2QUutUU81+XZob193gRH7Vv5y9KZUrL",
    "zjWyCCOKIJLIIYsgYogirkyPomWFoer0vMf46vwhldI3aubtUOpsRMXdEHFKifAKMYQQQQYJpBBACBGknznDbYjdlyvV5Fp/",
    "uTB14kbVZKsdcYUtqc64V9pu9wuIH3z0sccffvChh+qlKZujLa/Rr+Wk35rTej6a/vrzlaMu+gFXqBG4xv+XD+DHIIQYY2Zm",
    "PnhQh3fwDp9oILg/9qiZ71lRGZX4RzNt84YyhNju/fUBHd7BO3yigWD9sadmvmdFZVTiH800mzd0AWVPYgI=",
  ].join(""),
  "base64",
);

const size = { width: 64, height: 48 };
const picture = sharp(pattern(size.width * size.height * 3), {
  raw: { ...size, channels: 3 },
}).blur(1);

const copy = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes);

/** A tile that libtiff compressed by LZW. */
const lzwTile = async (): Promise<Uint8Array> => {
  const bytes = await picture
    .clone()
    .tiff({ compression: "lzw", predictor: "none", tile: true, tileWidth: 64, tileHeight: 48 })
    .toBuffer();
  const file = await readTiff(memoryReader(bytes), signal);
  const [level] = (await readPages(file, signal))[0];
  const area = { x: 0, y: 0, ...size };
  const [tile] = await fillTiles(file, await storedTiles(file, level, { area, signal }), signal);
  if (tile === undefined) throw new Error("Expected a tile.");
  return tile;
};

test.each([
  ["codecs", 7],
  ["native", 2],
])("the compiled decoders of %s are those that were recorded", async (folderName, count) => {
  const folder = new URL(`../../${folderName}/`, import.meta.url);
  const lines = (await readFile(new URL("SHA256SUMS", folder), "utf8")).trim().split("\n");
  expect(lines).toHaveLength(count);
  for (const line of lines) {
    const [sum, name = ""] = line.split("  ");
    const bytes = await readFile(new URL(name, folder));
    expect(createHash("sha256").update(bytes).digest("hex"), name).toBe(sum);
  }
});

describe("LZW", () => {
  test("is undone as plainly written", async () => {
    const packed = await lzwTile();
    const length = size.width * size.height * 3;
    const unpacked = unlzwFast.unpack(packed, { most: length });
    expect(unpacked).toHaveLength(length);
    expect(Buffer.from(unpacked).equals(unlzw(packed, length))).toBe(true);
  });
});

describe.each(kinds)("%s", (_name, { inflating, unzstd }) => {
  describe("zlib streams", () => {
    test("are undone as zlib does, at every level and length", () => {
      for (const length of [0, 1, 15, 16, 17, 3_000, 70_000, 1_000_000])
        for (const level of [0, 1, 6, 9]) {
          const wanted = pattern(length);
          const packed = zlib.deflateSync(wanted, { level });
          expect(Buffer.from(inflating.unpack(packed, { most: length })).equals(wanted)).toBe(true);
        }
    });

    test("are refused where they are longer than there is room for, or their checksum is wrong", () => {
      const packed = zlib.deflateSync(pattern(5_000));
      expect(() => inflating.unpack(packed, { most: 4_999 })).toThrow("damaged");
      packed[packed.length - 1] = (packed.at(-1) ?? 0) ^ 1;
      expect(() => inflating.unpack(packed, { most: 5_000 })).toThrow("damaged");
    });
  });

  describe("Zstandard", () => {
    test("is undone", () => {
      const unpacked = unzstd.unpack(zstandard, { most: 3_000 });
      expect(Buffer.from(unpacked).equals(pattern(3_000))).toBe(true);
    });

    test("is refused where it is longer than there is room for", () => {
      expect(() => unzstd.unpack(zstandard, { most: 2_999 })).toThrow("damaged");
    });
  });

  describe("differences", () => {
    const undo = (stored: Uint8Array, differences: Unpacked["differences"]): Uint8Array =>
      inflating.unpack(zlib.deflateSync(stored), { most: stored.length, differences });

    const plainly = (stored: Uint8Array, width: number, samples: 1 | 3): Uint8Array => {
      const out = copy(stored);
      for (let at = 0; at < out.length; at++)
        if (at % (width * samples) >= samples) out[at] = (out[at] ?? 0) + (out[at - samples] ?? 0);
      return out;
    };

    test("are undone in rows of any length", () => {
      for (const samples of [1, 3] as const)
        for (let width = 1; width <= 70; width++) {
          const stored = pattern(width * samples * 3);
          const rows = [0, 3] as const;
          const undone = undo(stored, { width, samples, rows });
          expect(copy(undone), `${width} x ${samples}`).toEqual(plainly(stored, width, samples));
        }
    });

    test("are undone only in the rows that are wanted", () => {
      const stored = pattern(20 * 3 * 4);
      const differences = { width: 20, samples: 3, rows: [1, 3] } as const;
      const undone = undo(stored, differences);
      const wanted = plainly(stored, 20, 3);
      expect(copy(undone.subarray(60, 180))).toEqual(wanted.subarray(60, 180));
      expect(copy(undone.subarray(180))).toEqual(stored.subarray(180));
    });

    test("of rows that are not all there are refused", () => {
      const differences = { width: 20, samples: 3, rows: [0, 4] } as const;
      expect(() => undo(pattern(239), differences)).toThrow("239 of 240");
    });
  });

  describe("damaged data", () => {
    const most = size.width * size.height * 3;

    const mutated = (bytes: Uint8Array, seed: number): Uint8Array => {
      const dice = random(seed);
      const out = copy(bytes);
      for (let count = dice.whole(0, 8); count > 0; count--)
        out[dice.whole(0, out.length - 1)] = dice.whole(0, 255);
      return dice.whole(0, 2) === 0 ? out.subarray(0, dice.whole(0, out.length)) : out;
    };

    const outcome = (work: () => Uint8Array): Buffer | string => {
      try {
        return Buffer.from(work());
      } catch (error) {
        return error instanceof Error ? error.message : "thrown";
      }
    };

    const isSame = (one: Buffer | string, other: Buffer | string): boolean =>
      typeof one === "string" || typeof other === "string" ? one === other : one.equals(other);

    const subjects: readonly (readonly [string, Unpacker, () => Promise<Uint8Array>, Unpacked])[] =
      [
        ["a zlib stream", inflating, async () => zlib.deflateSync(pattern(most)), { most }],
        ["Zstandard", unzstd, async () => zstandard, { most: 3_000 }],
        ["LZW", unlzwFast, lzwTile, { most }],
      ];

    test.each(subjects)(
      "in 2000 kinds of %s is refused or undone, and harms nothing",
      async (...subject) => {
        const [, unpacker, make, wanted] = subject;
        const whole = await make();
        const before = Buffer.from(unpacker.unpack(whole, wanted));
        let refused = 0;
        for (let seed = 1; seed <= 2_000; seed++) {
          const found = outcome(() => unpacker.unpack(mutated(whole, seed), wanted));
          if (typeof found === "string") refused++;
          else expect(found.length).toBeLessThanOrEqual(most);
        }
        expect(refused).toBeGreaterThan(100);
        expect(Buffer.from(unpacker.unpack(whole, wanted)).equals(before)).toBe(true);
      },
    );

    test("of LZW comes out as far as plainly written, and nothing beyond its end is read", async () => {
      const whole = await lzwTile();
      for (let seed = 1; seed <= 2_000; seed++) {
        const packed = mutated(whole, seed);
        const found = outcome(() => unlzwFast.unpack(packed, { most }));
        const wanted = outcome(() => unlzw(packed, most));
        expect(isSame(found, wanted), `seed ${seed}`).toBe(true);
      }
    });

    test("of zlib streams is refused where zlib refuses it", () => {
      const whole = zlib.deflateSync(pattern(most));
      for (let seed = 1; seed <= 2_000; seed++) {
        const packed = mutated(whole, seed);
        const found = outcome(() => inflating.unpack(packed, { most }));
        const wanted = outcome(() => zlib.inflateSync(packed, { maxOutputLength: most }));
        if (typeof wanted === "string") expect(found, `seed ${seed}`).toBeTypeOf("string");
        else expect(isSame(found, wanted), `seed ${seed}`).toBe(true);
      }
    });
  });
});
