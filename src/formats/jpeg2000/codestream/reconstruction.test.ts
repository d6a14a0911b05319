import { expect, test } from "vitest";
import { compileWasm } from "../../../core/wasm.ts";
import { isQuick, workspaceBytes } from "./inline-ht.ts";
import type { BandJob, ComponentJob, LevelJob, WindowJob } from "./job.ts";
import { createSharedReconstruction } from "./reconstruction.ts";

const bandOf = (kind: BandJob["kind"], width: number, height: number): BandJob => ({
  ...{ kind, width, height, magnitudeBits: 10, step: 1, blocks: [0, 0] },
});

/** The windows of a component of so many samples, in six levels. */
const levelsOf = (width: number, height: number): LevelJob[] => {
  const levels: LevelJob[] = [];
  let [across, down] = [width, height];
  for (let level = 0; level < 6; level++) {
    const [low, flat] = [Math.ceil(across / 2), Math.ceil(down / 2)];
    const [high, steep] = [across - low, down - flat];
    const bands = [bandOf(1, high, flat), bandOf(2, low, steep), bandOf(3, high, steep)];
    levels.push({ width: across, height: down, oddX: 0, oddY: 0, x: 0, y: 0, bands });
    [across, down] = [low, flat];
  }
  const lowest = { width: across, height: down, oddX: 0, oddY: 0, x: 0, y: 0 } as const;
  return [...levels, { ...lowest, bands: [bandOf(0, across, down)] }].reverse();
};

const jobOf = (width: number, height: number, memory: WebAssembly.Memory): WindowJob => {
  const form = { reversible: false, style: 0x40, shift: 0, precision: 8, signed: false };
  const component: ComponentJob = { ...form, levels: levelsOf(width, height), width, height };
  const buffer: ArrayBufferLike = memory.buffer;
  if (!(buffer instanceof SharedArrayBuffer)) throw new Error("Expected shared memory.");
  return {
    components: [component, component, component],
    ...{ transformed: true, wanted: [0, 1, 2], interleaved: true },
    bytes: new Uint8Array(4_194_304),
    blocks: new Int32Array(0),
    segments: new Int32Array(0),
    cache: buffer,
    workspace: { memory, bytes: workspaceBytes },
    left: new Int32Array(new SharedArrayBuffer(4)),
  };
};

test("every quick window fits into the workspace, and larger ones leave it", async () => {
  const pages = workspaceBytes / 65_536;
  const memory = new WebAssembly.Memory({ initial: pages + 1, maximum: pages + 1, shared: true });
  const run = createSharedReconstruction(await compileWasm("jpeg2000-shared"));
  for (const width of [1, 2, 3, 9, 10, 17, 256, 590, 12_000, 174_000]) {
    const max = Math.floor(4_194_304 / 3 / (((width + 7) & ~7) * 4));
    const largest = jobOf(width, max, memory);
    expect(isQuick(largest)).toBe(true);
    expect(isQuick(jobOf(width, max + 1, memory))).toBe(false);
    const [samples] = run(largest);
    expect(samples?.length).toBe(width * max * 3);
    // No block: the mean of the range.
    expect(samples?.every((sample) => sample === 128)).toBe(true);
  }
  const guard = new Uint8Array(memory.buffer, workspaceBytes);
  expect(guard.every((byte) => byte === 0)).toBe(true);
  expect(() => run(jobOf(2_000, 4_000, memory))).toThrow("at most 33554432 bytes");
});
