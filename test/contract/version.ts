import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ServerError } from "../../src/core/errors.ts";
import { area, type Size, upright } from "../../src/core/geometry.ts";
import type { Constraint } from "../../src/core/identifier.ts";
import type { Page } from "../../src/core/info.ts";
import { parseImageRequest } from "../../src/iiif/grammar.ts";
import type { Limits } from "../../src/iiif/limits.ts";
import { resolve } from "../../src/iiif/resolve.ts";
import type { Resolution, Version } from "../../src/iiif/version.ts";
import { anyConstraint, anyLimits, anyPage, idOf, infoOf, limitsOf } from "../pages.ts";

/** The contract of every version of the Image API. */
export const versionContract = (version: Version): void => {
  describe(`version ${version.number} of the Image API`, () => {
    const plain = Object.keys(version.syntax.qualities)[0];
    const end = `0/${plain}.jpg`;

    it("resolves every size and tile that info.json lists, to exactly that size", () => {
      fc.assert(
        fc.property(anyPage, anyConstraint, anyLimits, (page, constraint, limits) => {
          const scene = { page, constraint, limits };
          for (const { path, size } of advertised(version, scene))
            expect(ask(version, `${path}/${end}`, scene).resolved.size).toEqual(size);
        }),
        { numRuns: 150 },
      );
    });

    it("still admits them when nothing else may be asked for, in any rotation and quality", () => {
      fc.assert(
        fc.property(anyPage, anyConstraint, anyLimits, (page, constraint, limits) => {
          const restricted = { ...limits, "endpoint.iiif.restrict_to_sizes": true };
          const scene = { page, constraint, limits: restricted };
          for (const { path, size } of advertised(version, scene))
            expect(ask(version, `${path}/90/bitonal.png`, scene).resolved.size).toEqual(size);
        }),
        { numRuns: 50 },
      );
    });

    it("resolves them when the height is left to the server", () => {
      fc.assert(
        fc.property(anyPage, anyConstraint, (page, constraint) => {
          const scene = { page, constraint, limits: limitsOf() };
          for (const { path, size } of advertised(version, scene)) {
            const resolved = ask(version, `${path.replace(/,\d+$/, ",")}/${end}`, scene).resolved;
            expect(resolved.size.width).toBe(size.width);
          }
        }),
        { numRuns: 50 },
      );
    });

    it("lists nothing beyond the limits, and no empty lists", () => {
      fc.assert(
        fc.property(anyPage, anyConstraint, anyLimits, (page, constraint, limits) => {
          for (const { size } of advertised(version, { page, constraint, limits })) {
            expect(Math.min(size.width, size.height)).toBeGreaterThan(0);
            if (limits.max_pixels > 0) expect(area(size)).toBeLessThanOrEqual(limits.max_pixels);
          }
          for (const value of Object.values(document(version, { page, constraint, limits })))
            expect(value).not.toEqual([]);
        }),
      );
    });

    it("keeps crops in the page and sizes within the limits, or fails as a request does", () => {
      fc.assert(
        fc.property(
          anyPage,
          anyConstraint,
          anyLimits,
          anyPath(version),
          (page, constraint, limits, path) => {
            const settled = attempt(() => ask(version, path, { page, constraint, limits }));
            if (settled === undefined) return;
            expectSound(settled, { page, constraint, limits });
          },
        ),
        { numRuns: 2000 },
      );
    });

    it("fails only as a request can fail, whatever the segments hold", () => {
      const segment = fc.oneof(fc.string({ unit: "binary" }), fc.string(), scraps);
      fc.assert(
        fc.property(segment, segment, segment, segment, anyPage, (a, b, c, d, page) => {
          const scene = { page, constraint: { numerator: 1, denominator: 1 }, limits: limitsOf() };
          const parts = [a, b, c, d].map((part) => part.replaceAll("/", "%2F"));
          attempt(() => ask(version, parts.join("/"), scene));
        }),
        { numRuns: 2000 },
      );
    });

    if (version.canonical !== undefined)
      it("reads what is canonical as the same picture, and writes it the same again", () => {
        fc.assert(
          fc.property(
            anyPage,
            anyConstraint,
            anyLimits,
            anyPath(version),
            (page, constraint, limits, path) => {
              const scene = { page, constraint, limits };
              const settled = attempt(() => ask(version, path, scene));
              if (settled === undefined) return;
              const canonical = version.canonical?.(settled) ?? "";
              const again = ask(version, canonical, scene);
              expect(again.resolved, `${path} became ${canonical}`).toEqual(settled.resolved);
              expect(version.canonical?.(again)).toBe(canonical);
            },
          ),
          { numRuns: 3000 },
        );
      });
  });
};

interface Scene {
  readonly page: Page;
  readonly constraint: Constraint;
  readonly limits: Limits;
}

const expectSound = ({ resolved }: Resolution, { page, limits }: Scene): void => {
  const { crop, size, rotation } = resolved;
  const { width, height } = upright(page.size, page.orientation);
  for (const number of [crop.x, crop.y, crop.width, crop.height, size.width, size.height])
    expect(Number.isInteger(number)).toBe(true);
  expect(Math.min(crop.x, crop.y)).toBeGreaterThanOrEqual(0);
  expect(Math.min(crop.width, crop.height, size.width, size.height)).toBeGreaterThan(0);
  expect(crop.x + crop.width).toBeLessThanOrEqual(width);
  expect(crop.y + crop.height).toBeLessThanOrEqual(height);
  expect(rotation).toBeGreaterThanOrEqual(0);
  expect(rotation).toBeLessThan(360);
  if (limits.max_pixels > 0) expect(area(size)).toBeLessThanOrEqual(limits.max_pixels);
};

const ask = (version: Version, path: string, scene: Scene): Resolution => {
  const [region = "", size = "", rotation = "", quality = ""] = path.split("/");
  const id = idOf(scene.constraint);
  const request = parseImageRequest({ region, size, rotation, quality }, version, id);
  return resolve(request, infoOf(scene.page), scene.limits);
};

/** Undefined where the request failed in an allowed way; rethrows anything else. */
const attempt = <T>(run: () => T): T | undefined => {
  try {
    return run();
  } catch (error) {
    if (error instanceof ServerError) {
      expect(["malformed", "unsupported", "denied", "unimplemented"]).toContain(error.failure);
      expect(error.message).toMatch(/\S/);
      return undefined;
    }
    throw error;
  }
};

const document = (version: Version, scene: Scene): Record<string, unknown> =>
  version.information({
    ...scene,
    uri: "https://example.org/iiif/map.tif",
    outputs: ["jpg", "png", "webp"],
    preferred: [],
    extra: {},
  });

interface Listed {
  /** Region and size. */
  readonly path: string;
  readonly size: Size;
}

interface Tiles {
  readonly width: number;
  readonly height: number;
  readonly scaleFactors: readonly number[];
}

/** Every size, and of every tile grid the corners and edges, as a viewer would request them. */
const advertised = (version: Version, scene: Scene): readonly Listed[] => {
  const info = document(version, scene) as {
    width: number;
    height: number;
    sizes?: Size[];
    tiles?: Tiles[];
    scale_factors?: number[];
    tile_width?: number;
    tile_height?: number;
  };
  const flat =
    info.scale_factors === undefined
      ? []
      : [
          {
            width: info.tile_width ?? 0,
            height: info.tile_height ?? 0,
            scaleFactors: info.scale_factors,
          },
        ];
  return [
    ...(info.sizes ?? []).map((size) => ({ path: `full/${size.width},${size.height}`, size })),
    ...(info.tiles ?? flat).flatMap((tiles) =>
      tiles.scaleFactors.flatMap((factor) => grid(tiles, factor, info)),
    ),
  ];
};

const grid = (tiles: Tiles, factor: number, page: Size): Listed[] => {
  const starts = (tile: number, length: number): number[] => {
    const last = Math.ceil(length / (tile * factor)) - 1;
    return [...new Set([0, 1, last - 1, last])].filter((n) => n >= 0 && n <= last);
  };
  return starts(tiles.width, page.width).flatMap((column) =>
    starts(tiles.height, page.height).map((row) => {
      const x = column * tiles.width * factor;
      const y = row * tiles.height * factor;
      const width = Math.min(tiles.width * factor, page.width - x);
      const height = Math.min(tiles.height * factor, page.height - y);
      const size = { width: Math.ceil(width / factor), height: Math.ceil(height / factor) };
      return { path: `${x},${y},${width},${height}/${size.width},${size.height}`, size };
    }),
  );
};

const number = fc.oneof(
  fc.integer({ min: 0, max: 400 }),
  fc.integer({ min: 0, max: 10_000 }),
  fc.constant(99_999_999_999),
);
const decimal = fc.oneof(
  number.map(String),
  fc.constantFrom(".5", "12.5", "33.333", "99.99", "150"),
);

/** Well-formed requests, many of which cannot be served. */
const anyPath = ({ syntax }: Version): fc.Arbitrary<string> => {
  const region = fc.oneof(
    fc.constantFrom("full", ...(syntax.square ? ["square"] : [])),
    fc.tuple(number, number, number, number).map((numbers) => numbers.join(",")),
    fc.tuple(decimal, decimal, decimal, decimal).map((numbers) => `pct:${numbers.join(",")}`),
  );
  const size = fc.tuple(
    fc.constantFrom("", "", ...(syntax.upscaling === "caret" ? ["^"] : [])),
    fc.oneof(
      fc.constantFrom(...syntax.sizeKeywords),
      number.map((n) => `${n},`),
      number.map((n) => `,${n}`),
      fc.tuple(fc.constantFrom("", "!"), number, number).map(([fit, w, h]) => `${fit}${w},${h}`),
      decimal.map((n) => `pct:${n}`),
    ),
  );
  const rotation = fc.tuple(
    fc.constantFrom("", ...(syntax.mirror ? ["!"] : [])),
    fc.oneof(
      fc.constantFrom("0", "90", "180", "270", "360", "22.50", ".0000001"),
      fc.double({ min: 0, max: 360, noNaN: true }).map((n) => n.toFixed(3)),
    ),
  );
  const quality = fc.constantFrom(...Object.keys(syntax.qualities));
  const format = fc.constantFrom(...Object.keys(syntax.formats));
  return fc
    .tuple(region, size, rotation, quality, format)
    .map(([r, s, t, q, f]) => `${r}/${s.join("")}/${t.join("")}/${q}.${f}`);
};

const scraps = fc
  .array(
    fc.constantFrom(
      ..."full,square,max,pct:,pct%3A,^,%5E,!,%2C,0,1,90,9999999999999999999,.,-,e,NaN,default,native,.jpg,%,%ff,%00,+".split(
        ",",
      ),
      ",",
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));
