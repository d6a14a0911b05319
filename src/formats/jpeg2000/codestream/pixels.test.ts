import { beforeAll, expect, test } from "vitest";
import { random } from "../../../../test/random.ts";
import { compileWasm } from "../../../core/wasm.ts";
import { type CodestreamKernel, KernelRoom, newCodestreamKernel } from "./kernel.ts";

let kernel: CodestreamKernel;

beforeAll(async () => {
  kernel = newCodestreamKernel(await compileWasm("jpeg2000"));
});

const { whole, one } = random(12);

/** Samples around the limits of 8 bits, including halves, and some that no image has. */
const draw = (isWhole: boolean): number => {
  const isWild = whole(0, 9) === 0;
  if (isWhole) return isWild ? one([2 ** 31 - 1, -(2 ** 31), 2 ** 30, 65_536]) : whole(-400, 400);
  if (!isWild) return whole(-1_600, 1_600) / 4;
  return one([1e30, -1e30, 3e9, -3e9, 1.3e7, -1.3e7, 5e6, -5e6, -0, 1e-40]);
};

const cases = [true, false].flatMap((isWhole) =>
  [true, false].map((isTransformed) => ({ isWhole, isTransformed })),
);

test.each(cases)(
  "pixels equal the separate steps (whole: $isWhole, transformed: $isTransformed)",
  ({ isWhole, isTransformed }) => {
    for (let width = 1; width <= 40; width++) {
      const height = whole(1, 4);
      const stride = ((width + 7) & ~7) * 4 + 32 * whole(0, 1);
      const depth = one([
        { level: 128, min: 0, max: 255 },
        { level: 8, min: 0, max: 15 },
        { level: 0, min: -128, max: 127 },
      ]);
      const { level, min, max } = depth;
      const room = new KernelRoom(kernel, kernel.base());
      const planes = [0, 1, 2].map(() => room.take(stride * height));
      const [first = 0, second = 0, third = 0] = planes;
      const count = width * height;
      const to = room.take(3 * count);
      const { buffer } = kernel.memory;
      for (const at of planes) {
        const samples = new (isWhole ? Int32Array : Float32Array)(
          buffer,
          at,
          (stride * height) / 4,
        );
        for (const place of samples.keys()) samples[place] = draw(isWhole);
      }
      const kind = [isTransformed, isWhole] as const;
      kernel.pixelsOfThree(
        to,
        first,
        second,
        third,
        stride,
        width,
        height,
        ...kind,
        level,
        min,
        max,
      );
      const pixels = [...new Uint8Array(buffer, to, 3 * count)];
      if (isTransformed) {
        const toRgb = isWhole ? kernel.toRgbWhole : kernel.toRgbScaled;
        toRgb(first, second, third, stride, width, height);
      }
      const components = planes.map((at) => {
        kernel.toLevels(at, stride, width, height, isWhole, level, min, max);
        kernel.packBytes(to, at, stride, width, height);
        return new Uint8Array(buffer, to, count).slice();
      });
      const expected = Array.from({ length: 3 * count }, (_, at) => {
        return components[at % 3]?.[Math.floor(at / 3)];
      });
      expect(pixels, JSON.stringify({ width, height, ...depth })).toEqual(expected);
    }
  },
);

test("NaN becomes the minimum, and infinity the nearest bound", () => {
  const room = new KernelRoom(kernel, kernel.base());
  const at = room.take(64);
  const to = room.take(64);
  const { buffer } = kernel.memory;
  new Float32Array(buffer, at, 4).set([Number.NaN, Infinity, -Infinity, 0]);
  kernel.pixelsOfThree(to, at, at, at, 64, 4, 1, false, false, 128, 0, 255);
  const grey = [0, 255, 0, 128];
  expect([...new Uint8Array(buffer, to, 12)]).toEqual(
    grey.flatMap((value) => [value, value, value]),
  );
});
