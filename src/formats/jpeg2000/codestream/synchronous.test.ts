import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  codestreamBytes,
  codestreamIn,
  type Open,
  opened,
  testDecoder,
} from "../../../../test/codestreams.ts";
import { corpusFiles, corpusIsHere, corpusIsMissing, corpusPath } from "../../../../test/corpus.ts";
import { codestreamOf } from "../../../../test/ht-codestream.ts";
import { encodeCleanup } from "../../../../test/ht-encoder.ts";
import { random } from "../../../../test/random.ts";
import { ServerError } from "../../../core/errors.ts";
import type { ReadSync } from "../../../core/range-reader.ts";
import { advance, complete } from "../../../core/steps.ts";
import { InlineTime } from "../../shared/inline-time.ts";
import { loadTurbo } from "../../turbo/load.ts";
import type { CodestreamDecoder, RegionOf, RegionWanted } from "./contract.ts";
import { runInThreads } from "./threads.ts";

const form = { quality: 71, subsampling: "4:4:4" } as const;
const { signal } = new AbortController();
const limits = () => ({ threads: 1, ms: 60_000 });
/** Always has time left. */
const endless = () => new InlineTime(Number.POSITIVE_INFINITY);

/**
 * A decoder with a small block cache that also works on the calling thread, within the time of
 * `turn`.
 */
const decoderWith = async (
  turn: InlineTime | undefined,
  blockBytes = 0,
): Promise<CodestreamDecoder> => {
  const decoder = await testDecoder(blockBytes, runInThreads(limits, turn));
  onTestFinished(() => decoder.close());
  return decoder;
};

/** A JPEG of a region where it can be made without waiting. */
const sync = (
  decoder: CodestreamDecoder,
  { read, ...wanted }: RegionOf & { readonly read: ReadSync },
): Uint8Array | undefined => {
  const state = advance(decoder.encode(wanted, form), read);
  return state.isDone ? state.value : undefined;
};

/** The result; undefined where it is refused, as it then is in every way of asking. */
const unlessRefused = <T>(work: () => T): T | undefined => {
  try {
    return work();
  } catch (error) {
    if (error instanceof ServerError) return undefined;
    throw error;
  }
};

const encoded = (decoder: CodestreamDecoder, { reader, signal, ...wanted }: RegionWanted) =>
  complete(decoder.encode(wanted, form), reader, signal);

const from = random(20_261_122);
const side = 64;
const values = Int32Array.from({ length: side * side }, () => from.whole(-60, 60));
/** One block of 64 x 64, of 8 bits. */
const bytes = codestreamOf({
  width: side,
  height: side,
  cleanup: encodeCleanup({ width: side, height: side, values }, from),
  refinement: new Uint8Array(),
  passes: 1,
  magnitudeBits: 6,
  missing: 5,
  causal: false,
  unsigned: true,
});
const region = { x: 8, y: 4, width: 40, height: 50 };

/** Reads of bytes in memory, with their number. */
const reading = (all: Uint8Array): { readonly read: ReadSync; readonly reads: () => number } => {
  let reads = 0;
  return {
    read(offset, length, into) {
      reads++;
      into?.set(all.subarray(offset, offset + length));
      return into ?? all.subarray(offset, offset + length);
    },
    reads: () => reads,
  };
};

const isThere = (await loadTurbo()) !== undefined;
const skipped = isThere
  ? ""
  : " (skipped: the optional package @julusian/jpeg-turbo cannot be loaded)";

describe.skipIf(!isThere)(
  `a JPEG of High-Throughput blocks encoded synchronously${skipped}`,
  () => {
    let open: Open;
    let wanted: RegionOf;
    let byThread: Uint8Array | undefined;
    const inThread = testDecoder(0, runInThreads(limits));
    beforeAll(async () => {
      open = await opened(bytes);
      wanted = { codestream: open.codestream, region, reduce: 0 };
      byThread = await encoded(await inThread, { ...wanted, ...open, signal });
    });
    afterAll(async () => (await inThread).close());

    /** A decoder that has already decoded another part of the image. */
    const warm = async (turn = endless(), blockBytes = 0): Promise<CodestreamDecoder> => {
      const decoder = await decoderWith(turn, blockBytes);
      const other = { x: 0, y: 0, width: 10, height: 10 };
      await encoded(decoder, { ...wanted, ...open, region: other, signal });
      return decoder;
    };

    it("equals the one that a thread encodes", async () => {
      const { read, reads } = reading(bytes);
      const decoder = await warm();
      const jpeg = sync(decoder, { ...wanted, read });
      expect(jpeg?.length).toBeGreaterThan(500);
      expect(jpeg).toEqual(byThread);
      expect(reads()).toBe(1);
    });

    it("uses cached blocks without reading them", async () => {
      const { read, reads } = reading(bytes);
      const decoder = await warm(endless(), 1_048_576);
      expect(sync(decoder, { ...wanted, read })).toEqual(byThread);
      expect(reads()).toBe(0);
    });

    it("is not attempted before the codestream is known, nor where bytes are not in memory", async () => {
      const { read } = reading(bytes);
      const cold = await decoderWith(endless());
      expect(sync(cold, { ...wanted, read })).toBeUndefined();
      const decoder = await warm();
      expect(sync(decoder, { ...wanted, read: () => undefined })).toBeUndefined();
      const cut: ReadSync = (offset, length, into) => read(offset, length, into)?.subarray(1);
      expect(() => sync(decoder, { ...wanted, read: cut })).toThrow(ServerError);
      // Attempts that came to nothing left nothing behind.
      expect(sync(decoder, { ...wanted, read })).toEqual(byThread);
    });

    it("is not attempted when the event loop turn has no time left, or outside one", async () => {
      const { read } = reading(bytes);
      const late = await warm(new InlineTime(0));
      expect(sync(late, { ...wanted, read })).toBeUndefined();
      const never = await decoderWith(undefined);
      await encoded(never, { ...wanted, ...open, signal });
      expect(sync(never, { ...wanted, read })).toBeUndefined();
    });

    it("shows the sound part of damaged blocks, as a thread does", async () => {
      const damaged = bytes.slice();
      for (let at = bytes.length - 900; at < bytes.length; at += 7) damaged[at] = 0xff;
      const { read } = reading(damaged);
      const decoder = await warm();
      const jpeg = sync(decoder, { ...wanted, read });
      const { codestream } = open;
      const { reader } = await opened(damaged);
      const own = { ...wanted, codestream, reader, signal };
      expect(jpeg).toEqual(await encoded(await inThread, own));
      expect(jpeg).not.toEqual(byThread);
    });

    it("is not attempted for blocks of part 1 of the standard", async () => {
      const plain = codestreamBytes("four-components");
      const { codestream, reader } = await opened(plain);
      const { read } = reading(plain);
      const decoder = await decoderWith(endless());
      const part = { x: 3, y: 5, width: 21, height: 18 };
      const own = { codestream, region: part, reduce: 0, components: [0, 1, 2] };
      expect(await encoded(decoder, { ...own, reader, signal })).toBeInstanceOf(Uint8Array);
      expect(sync(decoder, { ...own, read })).toBeUndefined();
    });
  },
);

const files = corpusFiles("htj2k");

describe.skipIf(!corpusIsHere || !isThere)(
  `JPEGs of the corpus encoded synchronously${corpusIsHere ? skipped : ` (skipped: ${corpusIsMissing})`}`,
  () => {
    it.each(files.map((file) => [file.path, file] as const))("%s", async (path, file) => {
      const all = codestreamIn(readFileSync(corpusPath(file)));
      const { codestream, reader } = await opened(all);
      const { header } = codestream;
      const components = header.components.map((_, number) => number);
      const inThread = await decoderWith(undefined);
      const decoder = await decoderWith(endless(), 524_288);
      const { read } = reading(all);
      const parts = random(path.length * 7_919);
      let count = 0;
      for (let round = 0; round < 40; round++) {
        const [x, y] = [
          parts.whole(0, header.image.width - 1),
          parts.whole(0, header.image.height - 1),
        ];
        const own = {
          codestream,
          region: {
            x,
            y,
            width: Math.min(parts.whole(1, 300), header.image.width - x),
            height: Math.min(parts.whole(1, 300), header.image.height - y),
          },
          reduce: parts.whole(0, Math.min(2, header.levels)),
          components,
        };
        const wanted = { ...own, reader, signal };
        const made = unlessRefused(() => sync(decoder, { ...own, read }));
        const byThread = await encoded(inThread, wanted).catch(() => undefined);
        if (made === undefined) {
          // What was not made synchronously is known afterwards.
          const later = await encoded(decoder, wanted).catch(() => undefined);
          expect(later, `${round}`).toEqual(byThread);
          continue;
        }
        count++;
        expect(made, `${round}`).toEqual(byThread);
      }
      const isOneTile = header.columns * header.rows === 1;
      const areBytes = header.components.every(({ dx, precision }) => dx === 1 && precision === 8);
      if (isOneTile && areBytes) expect(count).toBeGreaterThan(3);
    });
  },
);
