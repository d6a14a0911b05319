import { afterAll, describe, expect, it } from "vitest";
import { codestreamBytes, opened, testDecoder } from "../../../../test/codestreams.ts";
import { complete } from "../../../core/steps.ts";
import { createTileEncoder } from "../../turbo/encoder.ts";
import { loadTurbo } from "../../turbo/load.ts";
import type { CodestreamDecoder, RegionWanted } from "./contract.ts";
import { runInThreads } from "./threads.ts";

const turbo = await loadTurbo();
const encode = turbo && createTileEncoder(turbo);
const skipped = turbo
  ? ""
  : " (skipped: the optional package @julusian/jpeg-turbo cannot be loaded)";
const inThreads = await testDecoder(
  65_536,
  runInThreads(() => ({ threads: 1, ms: 60_000 })),
);
afterAll(() => inThreads.close());

const form = { quality: 71, subsampling: "4:4:4" } as const;
const { signal } = new AbortController();
const encoded = (decoder: CodestreamDecoder, { reader, signal, ...wanted }: RegionWanted) =>
  complete(decoder.encode(wanted, form), reader, signal);

describe.skipIf(!encode)(`a JPEG encoded on the decoding thread${skipped}`, () => {
  it.each([
    ["four-components", [0, 1, 2], { x: 3, y: 5, width: 21, height: 18 }],
    ["four-components", [2], { x: 0, y: 0, width: 16, height: 16 }],
    ["lrcp-layers-tiles", [2, 0, 1], { x: 1, y: 1, width: 9, height: 8 }],
  ] as const)("shows the samples: %s, components %j", async (name, components, region) => {
    const { codestream, reader } = await opened(codestreamBytes(name));
    const wanted = { codestream, reader, region, reduce: 0, components, signal };
    const { samples, width, height } = await inThreads.decodeInterleaved(wanted);
    const picture = { ...form, size: { width, height } };
    expect(await encoded(inThreads, wanted)).toEqual(
      encode?.({ ...picture, samples: components.length === 1 ? 1 : 3 }, samples),
    );
  });

  it("is not used with several tiles, two or four components, or on the calling thread", async () => {
    const { codestream, reader } = await opened(codestreamBytes("lrcp-layers-tiles"));
    const { width, height } = codestream.header.image;
    const all = { x: 0, y: 0, width, height };
    const corner = { x: 1, y: 1, width: 9, height: 8 };
    const wanted = { codestream, reader, reduce: 0, signal };
    const three = { ...wanted, components: [0, 1, 2] };
    expect(await encoded(inThreads, { ...three, region: all })).toBe(undefined);
    const two = { ...wanted, components: [0, 1], region: corner };
    expect(await encoded(inThreads, two)).toBe(undefined);
    const here = await testDecoder();
    expect(await encoded(here, { ...three, region: corner })).toBe(undefined);
    const left = AbortSignal.abort(new Error("gone"));
    const late = encoded(inThreads, { ...three, region: corner, signal: left });
    await expect(late).rejects.toThrow("gone");
  });
});
