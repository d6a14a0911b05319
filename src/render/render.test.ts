import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { type Drawable, drawn, testPicture, wholeFile } from "../../test/drawing.ts";
import { difference, pixelsOf } from "../../test/likeness.ts";
import type { Size } from "../core/geometry.ts";
import type { Plan } from "../core/plan.ts";
import { render } from "./render.ts";

const size = { width: 90, height: 61 };
const half = { width: 45, height: 31 };
const picture = async (): Promise<Drawable> => wholeFile(await testPicture(size), size);

const again = async (encoded: Uint8Array): Promise<Drawable> => {
  const { width, height, channels, hasAlpha } = await sharp(encoded).metadata();
  const model = channels < 3 ? "grey" : "rgb";
  return wholeFile(encoded, { width, height }, { colour: { model, alpha: hasAlpha } });
};

/** The effect of each step alone, in the prescribed order. */
const parts: readonly (readonly [string, Partial<Plan>])[] = [
  ["region", { crop: { x: 7, y: 11, width: 70, height: 40 } }],
  ["size", { size: { width: 35, height: 25 } }],
  ["sharpening", { sharpen: 2 }],
  ["mirroring", { mirror: true }],
  ["quarter turn", { rotation: 90 }],
  ["free turn", { rotation: 25 }],
  ["grey", { quality: "gray" }],
  ["black and white", { quality: "bitonal" }],
];

const pairs = parts.flatMap(([first, one], n) =>
  parts
    .slice(n + 1)
    .filter(([, other]) => !Object.keys(other).some((key) => key in one))
    .map(([second, other]) => ({ first, second, one, other })),
);

describe("a plan with two steps", () => {
  it.each(pairs)("applies $first before $second", async ({ one, other }) => {
    const together: Partial<Plan> = { ...one, ...other };
    const sized = "crop" in together && !("size" in together) && { size: cropSize(together) };
    const shown = await pixelsOf(await drawn(await picture(), { ...together, ...sized }));
    const halfway = await drawn(await picture(), { ...one, ...("crop" in one && sizeOf(one)) });
    const expected = await pixelsOf(await drawn(await again(halfway), other));
    const { mean } = difference(shown, expected);
    // A region is resampled with its surroundings, which the second of two renders lacks.
    expect(mean).toBeLessThan("crop" in one ? 3 : 1.5);
  });
});

const cropSize = ({ crop }: Partial<Plan>): Size => ({
  width: crop?.width ?? 0,
  height: crop?.height ?? 0,
});

const sizeOf = (plan: Partial<Plan>): Partial<Plan> => ({ size: cropSize(plan) });

describe("all steps together", () => {
  it.each(["jpg", "png", "tif", "gif", "webp", "avif"] as const)(
    "are encoded as %s",
    async (format) => {
      for (const quality of ["default", "color", "gray", "bitonal"] as const)
        for (const rotation of [0, 90, 33]) {
          const answer = await drawn(await picture(), {
            crop: { x: 7, y: 11, width: 70, height: 40 },
            size: { width: 35, height: 20 },
            mirror: true,
            sharpen: 1,
            rotation,
            quality,
            format,
          });
          const { width, height } = await sharp(answer).metadata();
          if (rotation !== 33) expect([width, height]).toEqual(rotation ? [20, 35] : [35, 20]);
          else expect([width, height]).toEqual([40, 36]);
        }
    },
  );
});

describe("very small sides", () => {
  const smallest: readonly Size[] = [
    { width: 1, height: 1 },
    { width: 2, height: 1 },
    { width: 1, height: 2 },
    { width: 90, height: 1 },
    { width: 1, height: 61 },
    { width: 2, height: 2 },
  ];

  it.each(smallest)("of a response of $width x $height hold the image's mean", async (small) => {
    for (const more of [{}, { sharpen: 1 }, { linear: true }, { quality: "gray" } as const]) {
      const { data, ...made } = await pixelsOf(
        await drawn(await picture(), { size: small, ...more }),
      );
      expect(made).toMatchObject(small);
      const whole = await pixelsOf(await testPicture(size));
      expect(Math.abs(mean(data) - mean(whole.data))).toBeLessThan(25);
    }
  });

  it.each(smallest)(
    "of a region of $width x $height show the region, enlarged too",
    async (small) => {
      const crop = { x: 0, y: 0, ...small };
      const exact = await pixelsOf(await drawn(await picture(), { crop, size: small }));
      const size = { width: small.width * 10, height: small.height * 10 };
      const large = await pixelsOf(await drawn(await picture(), { crop, size }));
      expect(Math.abs(mean(large.data) - mean(exact.data))).toBeLessThan(12);
      for (const rotation of [45, 90, 200])
        expect(
          (await drawn(await picture(), { crop, size: small, rotation })).length,
        ).toBeGreaterThan(0);
    },
  );

  const mean = (data: Uint8Array): number =>
    data.reduce((sum, value) => sum + value, 0) / data.length;
});

describe("full scale", () => {
  it("returns the stored pixels bit for bit", async () => {
    const stored = await pixelsOf(await testPicture(size));
    for (const format of ["png", "tif"] as const) {
      const shown = await pixelsOf(await drawn(await picture(), { format }));
      expect(difference(shown, stored).max).toBe(0);
    }
  });
});

describe("filters", () => {
  it.each([
    "bell",
    "bspline",
    "bicubic",
    "box",
    "hermite",
    "lanczos3",
    "mitchell",
    "triangle",
  ] as const)("named %s reduce and enlarge to roughly the same image", async (filter) => {
    const { data: expected } = await sharp(await testPicture(size))
      .resize(45, 31, { fit: "fill" })
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const changes = { downscaleFilter: filter, upscaleFilter: filter };
    const small = await pixelsOf(await drawn(await picture(), { ...changes, size: half }));
    expect(difference(small, { ...small, data: expected }).mean).toBeLessThan(8);
    const large = await drawn(await picture(), { ...changes, size: { width: 180, height: 122 } });
    const back = await pixelsOf(
      await drawn(wholeFile(large, { width: 180, height: 122 }), { size }),
    );
    expect(difference(back, await pixelsOf(await testPicture(size))).mean).toBeLessThan(8);
  });

  it("enlarge by replication for box", async () => {
    const changes = { upscaleFilter: "box", size: { width: 270, height: 183 } } as const;
    const large = await pixelsOf(await drawn(await picture(), changes));
    const plain = await pixelsOf(await testPicture(size));
    for (const [x, y] of [
      [0, 0],
      [10, 20],
      [89, 60],
    ] as const)
      for (const [dx, dy] of [
        [0, 0],
        [2, 2],
        [1, 0],
      ] as const)
        expect(large.data[((y * 3 + dy) * 270 + x * 3 + dx) * 3]).toBe(
          plain.data[(y * 90 + x) * 3],
        );
  });
});

describe("rendering", () => {
  it("stops when the signal is aborted", async () => {
    const reason = new Error("gone");
    await expect(drawn(await picture(), {}, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it("reports a corrupt file", async () => {
    const jpeg = await sharp(await testPicture(size))
      .jpeg()
      .toBuffer();
    const broken = wholeFile(jpeg.subarray(0, jpeg.length / 2), size);
    for (const changes of [{}, { size: half }, { rotation: 45 }])
      await expect(drawn(broken, changes)).rejects.toMatchObject({ failure: "unreadable" });
  });

  it("reports a missing codec, encoder or page", async () => {
    const { info } = await picture();
    const plan = { ...(await planned()), page: 0 };
    const signal = new AbortController().signal;
    const reader = { size: 0 } as never;
    await expect(render(plan, reader, info, {}, signal)).rejects.toMatchObject({
      failure: "unimplemented",
    });
    const { decoder } = await picture();
    await expect(render(plan, reader, info, { png: { decoder } }, signal)).rejects.toMatchObject({
      failure: "unimplemented",
    });
    await expect(drawn(await picture(), { page: 3 })).rejects.toMatchObject({ failure: "missing" });
  });

  const planned = async (): Promise<Plan> =>
    (await import("../../test/drawing.ts")).planFor(await picture());
});
