import { expect, it } from "vitest";
import { compileWasm } from "../../core/wasm.ts";
import { kernelUnpackers } from "../tiff/codecs/kernel-unpackers.ts";
import { compressions } from "../tiff/structure/tags.ts";
import { createTileEncoder } from "./pyramid/tile-encoders.ts";
import { noZstdEncoder, zstdEncoder } from "./zstd.ts";

const encode = zstdEncoder();
const encoding = { compression: "zstd", quality: 80, tile: 64 } as const;
const layout = { samples: 3, bits: 8 } as const;

it.skipIf(!encode)(
  `writes frames that decompress to the same bytes${encode ? "" : ` (skipped: ${noZstdEncoder()})`}`,
  async () => {
    const { unpackers } = kernelUnpackers(await compileWasm("tiles"));
    for (const length of [1, 1_000, 262_144]) {
      // Neither noise nor flat: the values of a soft gradient with grain.
      const bytes = Uint8Array.from({ length }, (_, n) => (n >> 9) + (((n * 7_919) >> 5) % 6));
      const packed = (await encode?.(bytes.slice())) ?? new Uint8Array(0);
      if (length > 1_000) expect(packed.length).toBeLessThan(length / 2);
      const unpacked = unpackers.get(compressions.zstd)?.unpack(packed, { max: length });
      expect(Buffer.compare(unpacked ?? new Uint8Array(0), bytes)).toBe(0);
    }
  },
);

it.skipIf(encode)(
  `explains what to do where Node.js has no encoder${encode ? " (skipped: it has one)" : ""}`,
  async () => {
    await expect(createTileEncoder(encoding, layout)).rejects.toMatchObject({
      failure: "unimplemented",
      message: expect.stringContaining("22.15"),
    });
  },
);
