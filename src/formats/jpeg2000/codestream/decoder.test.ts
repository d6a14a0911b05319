import { afterAll, expect, test } from "vitest";
import {
  codestreamBytes,
  decoded,
  type Open,
  opened,
  testDecoder,
} from "../../../../test/codestreams.ts";
import { memoryReader } from "../../../../test/readers.ts";
import { ServerError } from "../../../core/errors.ts";
import type { CodestreamDecoder, RegionWanted } from "./contract.ts";
import type { WindowRunner } from "./decoding.ts";
import { loadReconstruction, runHere } from "./inline-runner.ts";
import { blockField, blockFields, type WindowJob } from "./job.ts";
import { runInThreads } from "./threads.ts";

const decoder = await testDecoder();
const threads = runInThreads(() => ({ threads: 1, ms: 60_000 }));
const inThreads = await testDecoder(65_536, threads);
afterAll(() => inThreads.close());

const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
  } catch (error) {
    return error instanceof ServerError ? error.failure : error;
  }
  return "none";
};

const interleaved = async (
  { codestream, reader }: Open,
  wanted: Partial<RegionWanted> = {},
  by: CodestreamDecoder = decoder,
) => {
  const { width, height } = codestream.header.image;
  const region = { x: 0, y: 0, width, height };
  const { signal } = new AbortController();
  return by.decodeInterleaved({ codestream, reader, region, reduce: 0, signal, ...wanted });
};

/** The bytes with some of them changed, by offset. */
const changed = (bytes: Uint8Array, changes: Readonly<Record<number, number>>): Uint8Array => {
  const copy = bytes.slice();
  for (const [at, byte] of Object.entries(changes)) copy[Number(at)] = byte;
  return copy;
};

test.each([
  ["one-row", [0]],
  ["lrcp-layers-tiles", [0, 1, 2]],
  ["lrcp-layers-tiles", [2]],
  ["lrcp-layers-tiles", [1, 0]],
  ["four-components", [0, 1, 2, 3]],
] as const)("%s interleaves components %j", async (name, components) => {
  const open = await opened(codestreamBytes(name));
  const planes = await decoded(decoder, open, { components, reduce: 0 });
  const whole = await decoded(decoder, open);
  const { width, height, samples } = await interleaved(open, { components });
  expect(samples.length).toBe(width * height * components.length);
  for (const [place, component] of components.entries()) {
    const own = samples.filter((_, at) => at % components.length === place);
    expect([...own]).toEqual([...(planes[place]?.samples ?? [])]);
    expect([...own]).toEqual([...(whole[component]?.samples ?? [])]);
  }
});

test("components that differ are not interleaved", async () => {
  const open = await opened(codestreamBytes("rpcl-parts-halved"));
  expect(await failureOf(interleaved(open))).toBe("unreadable");
  expect(await failureOf(interleaved(open, { components: [1] }))).toBe("none");
  const deep = await opened(codestreamBytes("pcrl-16-bits"));
  expect(await failureOf(interleaved(deep))).toBe("unreadable");
});

test("a region outside, an excessive reduction and a missing component are refused", async () => {
  const open = await opened(codestreamBytes("four-bits"));
  const wanted: Partial<RegionWanted>[] = [
    { region: { x: 100, y: 0, width: 2, height: 1 } },
    { region: { x: -1, y: 0, width: 2, height: 1 } },
    { region: { x: 0, y: 0, width: 0, height: 1 } },
    { region: { x: 0.5, y: 0, width: 1, height: 1 } },
    { region: { x: Number.NaN, y: 0, width: 1, height: 1 } },
    { reduce: 2 },
    { reduce: -1 },
    { components: [1] },
  ];
  for (const one of wanted) expect(await failureOf(decoded(decoder, open, one))).toBe("unreadable");
});

test("regions that exceed the memory limit are refused", async () => {
  const open = await opened(codestreamBytes("lrcp-layers-tiles"));
  const { createCodestreamDecoder } = await import("./decoder.ts");
  const small = createCodestreamDecoder(
    () => ({ indexBytes: 1_048_576, blockBytes: 0, answerBytes: 25_000 }),
    runHere(await loadReconstruction()),
  );
  // 101 x 83 RGB has 25,149 bytes.
  expect(await failureOf(decoded(small, open))).toBe("unreadable");
  expect(await failureOf(decoded(small, open, { reduce: 1 }))).toBe("none");
});

test("the available part of a truncated file is shown, and the rest is black or grey", async () => {
  const bytes = codestreamBytes("blocks-reset");
  const whole = (await decoded(decoder, await opened(bytes)))[0]?.samples ?? new Uint8Array(0);
  let before = 128;
  for (const share of [0.2, 0.5, 0.8, 0.99]) {
    const cut = bytes.slice(0, Math.floor(bytes.length * share));
    const samples = (await decoded(decoder, await opened(cut)))[0]?.samples ?? [];
    const apart = Array.from(whole).reduce(
      (sum, sample, at) => sum + Math.abs(sample - (samples[at] ?? 0)),
      0,
    );
    expect(apart / whole.length).toBeLessThan(before);
    before = apart / whole.length;
  }
  expect(before).toBeLessThan(4);
  expect(before).toBeGreaterThan(0);
});

test("a tile beyond the file's end is refused, and the others are shown", async () => {
  const bytes = codestreamBytes("lrcp-layers-tiles");
  const cut = await opened(bytes.slice(0, Math.floor(bytes.length / 2)));
  const first = { region: { x: 0, y: 0, width: 8, height: 8 } };
  expect(await failureOf(decoded(decoder, cut))).toBe("unreadable");
  const [there] = await decoded(decoder, cut, first);
  const [whole] = await decoded(decoder, await opened(bytes), first);
  expect(there?.samples).toEqual(whole?.samples);
  const four = codestreamBytes("four-bits");
  const main = Buffer.from(four).indexOf("ff90000a", "hex");
  const none = await opened(four.slice(0, main + 6));
  expect(await failureOf(decoded(decoder, none))).toBe("unreadable");
});

test("an incomplete tile is refused", async () => {
  const bytes = Uint8Array.from(codestreamBytes("blocks-reset"));
  // TNsot: the number of the tile's parts.
  bytes[Buffer.from(bytes).indexOf("ff90000a", "hex") + 11] = 2;
  expect(await failureOf(decoded(decoder, await opened(bytes)))).toBe("unreadable");
});

// In SIZ, XSIZ is at 8, YSIZ at 12, XTSIZ at 24, YTSIZ at 28, the number of components at 40.
const vast = { 8: 0xff, 9: 0xff, 12: 0xff, 13: 0xff, 24: 0xff, 25: 0xff, 28: 0xff, 29: 0xff };

test("a header with impossible claims is refused, or costs no more than the request", async () => {
  const bytes = codestreamBytes("blocks-reset");
  const corner = { region: { x: 0, y: 0, width: 64, height: 64 } };
  const lies = [
    changed(bytes, vast),
    // Tiles of one pixel.
    changed(bytes, { 8: 0xff, 12: 0xff, 24: 0, 25: 0, 26: 0, 27: 1, 28: 0, 29: 0, 30: 0, 31: 1 }),
    // 16,384 components, none of which exist.
    changed(bytes, { 40: 0x40, 41: 0 }),
    changed(bytes, { 40: 0, 41: 0 }),
  ];
  for (const lie of lies) {
    const failure = await failureOf(opened(lie).then((open) => decoded(decoder, open, corner)));
    expect(failure).toBe("unreadable");
  }
});

test("an empty image of four gigapixels can be read at its corners", async () => {
  const bytes = changed(codestreamBytes("one-row"), {
    8: 0,
    9: 0,
    10: 0xff,
    11: 0xff,
    12: 0,
    13: 0,
    14: 0xff,
    15: 0xff,
    24: 0,
    25: 0,
    26: 0xff,
    27: 0xff,
    28: 0,
    29: 0,
    30: 0xff,
    31: 0xff,
  });
  const region = { x: 60_000, y: 60_000, width: 100, height: 100 };
  const [plane] = await decoded(decoder, await opened(bytes), { region });
  // Zero, in the middle of the range.
  expect(plane?.samples.every((sample) => sample === 128)).toBe(true);
});

test("a small file that repeats empty packets for very many blocks is read no further", async () => {
  const bytes = Buffer.alloc(300_000, 0xc0);
  bytes.set(codestreamBytes("one-row").subarray(0, 120));
  const sot = bytes.indexOf("ff90000a", "hex");
  const cod = bytes.indexOf("ff52", "hex");
  // 65,535 layers and blocks of 32 x 16; one tile of 5,000 x 1,000,000; the rest is packets.
  bytes.writeUInt16BE(0xffff, cod + 6);
  bytes.set([3, 2], cod + 10);
  for (const at of [8, 24]) bytes.writeUInt32BE(5_000, at);
  for (const at of [12, 28]) bytes.writeUInt32BE(1_000_000, at);
  bytes.writeUInt32BE(0, sot + 6);
  bytes.writeUInt16BE(0xff93, sot + 12);
  const open = await opened(new Uint8Array(bytes));
  const region = { x: 0, y: 0, width: 100, height: 100 };
  const [plane] = await decoded(decoder, open, { region });
  expect(plane?.samples.length).toBe(10_000);
});

test("aborted callers are released, and later ones are served", async () => {
  const bytes = codestreamBytes("progression-changes");
  const open = await opened(bytes);
  const whole = (await decoded(decoder, open)).map(({ samples }) => [...samples]);
  for (const by of [await testDecoder(), inThreads]) {
    for (let reads = 1; reads < 6; reads++) {
      const leaving = new AbortController();
      const plain = memoryReader(bytes);
      let left = reads;
      const reader = {
        ...plain,
        read: async (offset: number, length: number) => {
          if (--left === 0) leaving.abort(new Error("left"));
          leaving.signal.throwIfAborted();
          return plain.read(offset, length);
        },
      };
      const { codestream } = open;
      const work = decoded(by, { codestream, reader }, { signal: leaving.signal });
      await work.catch((error: Error) => expect(error.message).toBe("left"));
    }
    expect((await decoded(by, open)).map(({ samples }) => [...samples])).toEqual(whole);
  }
});

test("concurrent callers of the same image get the same result", async () => {
  const open = await opened(codestreamBytes("cprl-signed-12-bits"));
  const whole = (await decoded(decoder, open)).map(({ samples }) => [...samples]);
  const fresh = await testDecoder(32_768, threads);
  const all = await Promise.all(Array.from({ length: 12 }, () => decoded(fresh, open)));
  for (const planes of all) expect(planes.map(({ samples }) => [...samples])).toEqual(whole);
});

test("concurrent callers locate blocks together, reading nothing twice", async () => {
  const bytes = codestreamBytes("cprl-signed-12-bits");
  let reads = 0;
  const counted = {
    ...memoryReader(bytes),
    async read(offset: number, length: number) {
      reads++;
      return bytes.slice(offset, offset + length);
    },
  };
  const open = await opened(bytes, counted);
  const { width, height } = open.codestream.header.image;
  const wanted = { ...open, region: { x: 0, y: 0, width, height }, reduce: 0 };
  const { signal } = new AbortController();
  const readsOf = async (count: number): Promise<number> => {
    const fresh = await testDecoder();
    reads = 0;
    await Promise.all(Array.from({ length: count }, () => fresh.survey({ ...wanted, signal })));
    return reads;
  };
  expect(await readsOf(8)).toBe(await readsOf(1));
});

test("callers during closing get an error", async () => {
  const open = await opened(codestreamBytes("four-bits"));
  const inThreads = runInThreads(() => ({ threads: 1, ms: 60_000 }));
  let closed: Promise<void> | undefined;
  const closing: CodestreamDecoder = await testDecoder(65_536, {
    ...inThreads,
    run(...job) {
      const samples = inThreads.run(...job);
      // The job has been sent, and its thread has not begun yet.
      setImmediate(() => {
        closed = closing.close();
      });
      return samples;
    },
  });
  expect(await failureOf(decoded(closing, open))).toBe("aborted");
  await closed;
  expect(await failureOf(decoded(closing, open))).toBe("aborted");
});

test("of two concurrent jobs the second uses the blocks of the first, or decodes them itself", async () => {
  const reconstruct = await loadReconstruction();
  const open = await opened(codestreamBytes("four-bits"));
  const whole = await decoded(decoder, open);
  for (const isFirstDone of [true, false]) {
    const jobs: WindowJob[] = [];
    const held: (() => void)[] = [];
    const runner: WindowRunner = {
      encodes: false,
      async run(job) {
        jobs.push(job);
        await new Promise<void>((resolve) => held.push(resolve));
        if (jobs[0] === job && !isFirstDone) throw new Error("a thread broke down");
        return reconstruct(job);
      },
      close: async () => {},
    };
    const both = await testDecoder(1_048_576, runner);
    const answers = [1, 2].map(() => decoded(both, open));
    const first = answers[0]?.catch((error: unknown) => error);
    await expect.poll(() => jobs.length).toBe(2);
    expect(statesOf(jobs[0])).not.toContain(2);
    expect(statesOf(jobs[1])).toContain(2);
    expect(statesOf(jobs[1])).not.toContain(0);
    for (const goOn of held.slice(0, 1)) goOn();
    if (isFirstDone) expect(await first).toEqual(whole);
    else expect(await first).toBeInstanceOf(ServerError);
    for (const goOn of held.slice(1)) goOn();
    expect(await answers[1]).toEqual(whole);
  }
});

/** The source of each block of a job. */
const statesOf = (job: WindowJob | undefined): number[] =>
  Array.from(job?.blocks ?? []).filter((_, at) => at % blockFields === blockField.isKept);

test("a modest remote tile is fetched as a whole before its headers are read", async () => {
  const { codestream, reader } = await opened(codestreamBytes("lrcp-layers-tiles"));
  const fetched: { offset: number; length: number }[] = [];
  const outside: number[] = [];
  const remote: typeof reader = {
    ...reader,
    prefetch: async (ranges) => void fetched.push(...ranges),
    read(offset, length, ...rest) {
      const isIn = fetched.some(
        (range) => range.offset <= offset && offset < range.offset + range.length,
      );
      if (!isIn) outside.push(offset);
      return reader.read(offset, length, ...rest);
    },
  };
  await interleaved({ codestream, reader: remote });
  expect(fetched.length).toBeGreaterThan(1);
  // Without TLM, parts are found only by going from one to the next.
  const starts = fetched.map(({ offset }) => offset);
  expect(outside.filter((offset) => !starts.includes(offset))).toEqual([]);
});
