import { describe, expect, it } from "vitest";
import { idOf, infoOf, limitsOf, pageOf } from "../../test/pages.ts";
import { viewOf } from "../../test/views.ts";
import type { Snapshot } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import type { Size } from "../core/geometry.ts";
import { type Constraint, unconstrained } from "../core/identifier.ts";
import type { Confinement } from "../core/request.ts";
import { parseImageRequest } from "./grammar.ts";
import { resolve } from "./resolve.ts";
import type { Tiling } from "./sizes.ts";
import { v1 } from "./v1.ts";
import { v2 } from "./v2.ts";
import { v3 } from "./v3.ts";
import type { Version } from "./version.ts";

interface Scene {
  readonly size?: Size;
  readonly version?: Version;
  readonly confinement?: Confinement;
  readonly values?: Snapshot;
  readonly constraint?: Constraint;
}

const usual = { size: { width: 4000, height: 3000 }, confinement: { side: 1000 } };

/** The size of the response, or why there is none. */
const answer = (path: string, scene: Scene = {}): string => {
  const {
    size,
    version = v3,
    confinement,
    values = {},
    constraint = unconstrained,
  } = {
    ...usual,
    ...scene,
  };
  const [region = "", wanted = ""] = path.split("/");
  const quality = version === v1 ? "native.jpg" : "default.jpg";
  const asked = parseImageRequest(
    { region, size: wanted, rotation: "0", quality },
    version,
    idOf(constraint, 1),
  );
  try {
    const { resolved } = resolve(
      { ...asked, confinement },
      infoOf(pageOf(size.width, size.height)),
      limitsOf(values),
    );
    return `${resolved.size.width}x${resolved.size.height}`;
  } catch (error) {
    if (error instanceof ServerError) return error.failure;
    throw error;
  }
};

describe("an image confined to 1000 pixels", () => {
  it.each([
    ["full/max", "1000x750"],
    ["full/1000,", "1000x750"],
    ["full/1001,", "malformed"],
    ["full/1001,10", "malformed"],
    ["full/,751", "malformed"],
    ["full/!4000,4000", "1000x750"],
    ["full/pct:25", "1000x750"],
    ["full/pct:26", "malformed"],
    ["square/max", "750x750"],
    ["0,0,1000,1000/max", "250x250"],
    ["0,0,1000,1000/250,", "250x250"],
    ["0,0,1000,1000/251,", "malformed"],
    ["0,0,1000,1000/^max", "250x250"],
    ["0,0,1000,1000/^500,", "malformed"],
    // No strip and no single pixel is finer than the rest.
    ["0,0,4000,1/4000,1", "malformed"],
    ["0,0,4000,1/1000,1", "malformed"],
    ["0,0,1,3000/1,750", "malformed"],
    ["17,17,1,1/max", "malformed"],
    ["17,17,2,2/max", "1x1"],
  ])("%s: %s", (path, expected) => {
    expect(answer(path)).toBe(expected);
  });

  it("is confined in the same way in every version, and where enlarging is enabled", () => {
    const free = { values: { max_scale: 0, max_pixels: 0 } };
    expect(answer("full/max", { version: v2, ...free })).toBe("1000x750");
    expect(answer("full/full", { version: v2, ...free })).toBe("malformed");
    expect(answer("full/4000,", { version: v2, ...free })).toBe("malformed");
    expect(answer("0,0,100,100/100,", { version: v2, ...free })).toBe("malformed");
    expect(answer("0,0,100,100/100,", { version: v1, ...free })).toBe("malformed");
    expect(answer("0,0,100,100/^100,", free)).toBe("malformed");
  });

  it("is confined in Cantaloupe's dialect, where a region may be as large as the image", () => {
    const values = {
      max_scale: 0,
      "endpoint.iiif.dialect": "cantaloupe",
      "endpoint.iiif.scale_reference": "image",
    };
    expect(answer("0,0,100,100/1000,", { version: v2, values })).not.toBe("1000x1000");
    expect(answer("0,0,100,100/25,", { version: v2, values })).toBe("25x25");
  });

  it("can be requested smaller with a scale constraint, but no larger", () => {
    const constraint = { numerator: 1, denominator: 2 };
    expect(answer("full/max", { constraint })).toBe("1000x750");
    expect(answer("0,0,500,500/max", { constraint })).toBe("250x250");
    expect(answer("0,0,500,500/500,", { constraint })).toBe("malformed");
    const eighth = { numerator: 1, denominator: 8 };
    expect(answer("full/max", { constraint: eighth })).toBe("500x375");
  });

  it("is unchanged if it is no larger than that", () => {
    expect(answer("full/max", { size: { width: 900, height: 400 } })).toBe("900x400");
    expect(answer("full/^1000,", { size: { width: 900, height: 400 } })).toBe("unimplemented");
  });

  it("can be confined by its area", () => {
    expect(answer("full/max", { confinement: { area: 750_000 } })).toBe("1000x750");
    expect(answer("full/max", { confinement: { area: 750_000, side: 400 } })).toBe("400x300");
    expect(answer("full/1100,", { confinement: { area: 750_000 } })).toBe("malformed");
  });
});

describe("info.json of a confined image", () => {
  const view = (size: Size, confinement: Confinement) => ({
    ...viewOf({}),
    page: pageOf(size.width, size.height),
    confinement,
  });

  it("reports the maximum size, and lists nothing larger", () => {
    const { size, confinement } = usual;
    const three = v3.information(view(size, confinement));
    expect(three).toMatchObject({
      width: 4000,
      height: 3000,
      maxWidth: 1000,
      maxHeight: 750,
      maxArea: 750_000,
      tiles: [{ width: 512, height: 512, scaleFactors: [4, 8, 16, 32] }],
    });
    expect(three["sizes"]).toContainEqual({ width: 1000, height: 750 });
    expect(three["sizes"]).not.toContainEqual({ width: 2000, height: 1500 });
    const two = v2.information(view(size, confinement));
    expect((two["profile"] as unknown[])[1]).toMatchObject({ maxWidth: 1000, maxHeight: 750 });
    expect(v1.information(view(size, confinement))).toMatchObject({
      scale_factors: [4, 8, 16, 32],
    });
  });

  it("omits the limit where the image is smaller anyway", () => {
    expect(v3.information(view({ width: 300, height: 200 }, { side: 1000 }))).not.toHaveProperty(
      "maxWidth",
    );
  });

  it.each([
    [{ width: 4000, height: 3000 }, 1000],
    [{ width: 4001, height: 2999 }, 1000],
    [{ width: 1537, height: 4099 }, 333],
    [{ width: 9999, height: 77 }, 1200],
  ])("lists only available sizes and tiles of %j in %i pixels", (size, side) => {
    const { tiles = [], sizes } = v3.information(view(size, { side })) as {
      readonly tiles?: readonly Tiling[];
      readonly sizes: readonly Size[];
    };
    const scene = { size, confinement: { side } };
    for (const { width, height } of sizes)
      expect(answer(`full/${width},${height}`, scene)).toBe(`${width}x${height}`);
    for (const { path, expected } of tiles.flatMap((tiling) => cellsOf(tiling, size)))
      expect(answer(path, scene), path).toBe(expected);
  });
});

/** All tiles of an entry of `tiles`. */
const cellsOf = ({ width, height, scaleFactors }: Tiling, size: Size) =>
  scaleFactors.flatMap((factor) =>
    starts(size.height, height * factor).flatMap((y) =>
      starts(size.width, width * factor).map((x) => {
        const w = Math.min(width * factor, size.width - x);
        const h = Math.min(height * factor, size.height - y);
        const out = [Math.ceil(w / factor), Math.ceil(h / factor)];
        return { path: `${x},${y},${w},${h}/${out.join(",")}`, expected: out.join("x") };
      }),
    ),
  );

const starts = (length: number, step: number): readonly number[] =>
  Array.from({ length: Math.ceil(length / step) }, (_, n) => n * step);
