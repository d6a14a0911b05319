import { expect, it } from "vitest";
import { compileWasm } from "../../core/wasm.ts";
import { zstdUnpacker } from "../zstd.ts";
import { createZstdEncoder } from "./zstd.ts";

it("makes frames that become the same bytes again", async () => {
  const [encode, unpacker] = [
    await createZstdEncoder(),
    await zstdUnpacker(await compileWasm("wasm", "tiles")),
  ];
  for (const length of [1, 1_000, 262_144]) {
    // Neither noise nor plain: the numbers of a soft gradient with grain.
    const bytes = Uint8Array.from({ length }, (_, n) => (n >> 9) + (((n * 7_919) >> 5) % 6));
    const packed = await encode(bytes.slice());
    if (length > 1_000) expect(packed.length).toBeLessThan(length / 2);
    expect(Buffer.compare(unpacker.unpack(packed, { most: length }), bytes)).toBe(0);
  }
});
