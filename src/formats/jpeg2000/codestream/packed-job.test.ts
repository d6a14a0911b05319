import { expect, test } from "vitest";
import type { ComponentJob, WindowJob } from "./job.ts";
import { packed, unpackJob } from "./packed-job.ts";

const component = (precision: number): ComponentJob => ({
  ...{ reversible: false, style: 64, shift: 3, width: 256, height: 17, precision, signed: true },
  levels: [
    {
      ...{ width: 9, height: 8, oddX: 1, oddY: 0, x: 4, y: 2 },
      bands: [{ kind: 0, magnitudeBits: 12, step: 1, width: 9, height: 8, blocks: [0, 1] }],
    },
    {
      ...{ width: 18, height: 17, oddX: 0, oddY: 1, x: 0, y: 1 },
      bands: [
        { kind: 1, magnitudeBits: 11, step: 0.1, width: 9, height: 9, blocks: [1, 5] },
        { kind: 3, magnitudeBits: 10, step: 1 / 3, width: 9, height: 8, blocks: [5, 5] },
      ],
    },
  ],
});

test("a job round-trips through its numbers", () => {
  const job: WindowJob = {
    components: [component(8), { ...component(16), reversible: true, signed: false, levels: [] }],
    ...{ transformed: true, wanted: [1, 0], interleaved: false },
    bytes: Uint8Array.of(1, 2, 3),
    blocks: Int32Array.of(-5, 2_000_000_000, 7),
    segments: Int32Array.of(9, 1),
    cache: new SharedArrayBuffer(16),
    left: new Int32Array(new SharedArrayBuffer(4)),
    place: undefined,
  };
  expect(unpackJob(packed(job))).toEqual(job);
});
