import { describe, expect, it } from "vitest";
import { idOf, infoOf, limitsOf, pageOf, pyramid } from "../../test/pages.ts";
import type { Snapshot } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import { type Constraint, unconstrained } from "../core/identifier.ts";
import type { ImageInfo } from "../core/info.ts";
import { parseImageRequest } from "./grammar.ts";
import { resolve } from "./resolve.ts";
import { v1 } from "./v1.ts";
import { v2 } from "./v2.ts";
import { v3 } from "./v3.ts";
import type { Resolution, Version } from "./version.ts";

/** The example image of the specifications. */
const example = infoOf(pageOf(300, 200));

interface Scene {
  readonly info?: ImageInfo;
  readonly values?: Snapshot;
  readonly constraint?: Constraint;
  readonly page?: number;
}

const ask = (version: Version, path: string, scene: Scene = {}): Resolution => {
  const [region = "", size = "", rotation = "0", quality] = path.split("/");
  const { info = example, values = {}, constraint = unconstrained, page = 1 } = scene;
  const last = quality ?? (version === v1 ? "native.jpg" : "default.jpg");
  const segments = { region, size, rotation, quality: last };
  return resolve(
    parseImageRequest(segments, version, idOf(constraint, page)),
    info,
    limitsOf(values),
  );
};

const sizeOf = (version: Version, path: string, scene?: Scene): string => {
  const { width, height } = ask(version, path, scene).resolved.size;
  return `${width}x${height}`;
};

const cropOf = (path: string, scene?: Scene): readonly number[] => {
  const { x, y, width, height } = ask(v3, `${path}/max`, scene).resolved.crop;
  return [x, y, width, height];
};

const failureOf = (version: Version, path: string, scene?: Scene): string => {
  try {
    return sizeOf(version, path, scene);
  } catch (error) {
    if (error instanceof ServerError) return error.failure;
    throw error;
  }
};

const enlarging = { values: { max_scale: 0 } };

describe("regions", () => {
  it.each([
    ["full", [0, 0, 300, 200]],
    ["square", [50, 0, 200, 200]],
    ["125,15,120,140", [125, 15, 120, 140]],
    ["pct:41.6,7.5,40,70", [125, 15, 120, 140]],
    ["125,15,200,200", [125, 15, 175, 185]],
    ["pct:41.6,7.5,66.6,100", [125, 15, 175, 185]],
    ["pct:0,0,1000,1000", [0, 0, 300, 200]],
    ["299,199,99999999999,1", [299, 199, 1, 1]],
  ])("resolve %s of a 300x200 image to %o", (region, expected) => {
    expect(cropOf(region)).toEqual(expected);
  });

  it("that are square are centred, rounded down", () => {
    expect(cropOf("square", { info: infoOf(pageOf(100, 205)) })).toEqual([0, 52, 100, 100]);
  });

  it("round decimals exactly, not their binary approximation", () => {
    // 32.3 % of 500 are 161.5, but 161.49999999999997 in binary.
    const info = infoOf(pageOf(500, 500));
    expect(cropOf("pct:32.3,32.3,32.3,32.3", { info })).toEqual([162, 162, 162, 162]);
    // 1.1 % of 50 are 0.55; the binary product is 0.5500000000000001.
    expect(cropOf("pct:0,0,1.1,1.1", { info: infoOf(pageOf(50, 50)) })).toEqual([0, 0, 1, 1]);
  });

  it.each([
    "300,0,1,1",
    "0,200,1,1",
    "99999999999,0,1,1",
    "pct:100,0,1,1",
    "pct:99.9,0,1,1",
    "pct:0,0,0.1,50",
  ])("reject %s, which has no pixel of a 300x200 image", (region) => {
    expect(failureOf(v3, `${region}/max`)).toBe("malformed");
  });

  it("refer to the upright page", () => {
    const info = infoOf(pageOf(300, 200, { orientation: 6 }));
    expect(cropOf("full", { info })).toEqual([0, 0, 200, 300]);
    expect(ask(v3, "0,250,10,10/max", { info }).resolved.orientation).toBe(6);
  });
});

describe("sizes", () => {
  it.each([
    ["full/max", "300x200"],
    ["full/150,", "150x100"],
    ["full/,150", "225x150"],
    ["full/pct:50", "150x100"],
    ["full/225,100", "225x100"],
    ["full/!225,100", "150x100"],
    ["full/!360,360", "300x200"],
    ["full/!360,100", "150x100"],
    ["full/!99999999999,99999999999", "300x200"],
    ["full/^max", "300x200"],
    ["full/^150,", "150x100"],
    ["full/^pct:100", "300x200"],
    ["full/^!150,150", "150x100"],
    ["125,15,120,140/90,", "90x105"],
    ["0,0,3,3/pct:50", "2x2"],
    ["0,0,300,199/,100", "151x100"],
  ])("resolve %s of a 300x200 image to %s in 3.0", (path, expected) => {
    expect(sizeOf(v3, path)).toBe(expected);
  });

  it.each([
    ["full/^360,", "360x240"],
    ["full/^,240", "360x240"],
    ["full/^pct:120", "360x240"],
    ["full/^360,360", "360x360"],
    ["full/^!360,360", "360x240"],
    ["full/^!99999999999,360", "540x360"],
  ])("resolve %s of a 300x200 image to %s in 3.0 with enlarging enabled", (path, expected) => {
    expect(sizeOf(v3, path, enlarging)).toBe(expected);
    expect(failureOf(v3, path)).toBe(path.includes("!") ? "300x200" : "unimplemented");
  });

  it.each(["360,", ",240", "pct:120", "360,360", "99999999999,", "301,1"])(
    "that enlarge, such as %s, need a ^ in 3.0 but not before",
    (size) => {
      expect(failureOf(v3, `full/${size}`, enlarging)).toBe("malformed");
      expect(failureOf(v2, `full/${size}`)).toBe("malformed");
      if (size.length < 9) expect(failureOf(v2, `full/${size}`, enlarging)).toMatch(/^\d+x\d+$/);
    },
  );

  it("count as enlarged relative to the region, not the image", () => {
    expect(failureOf(v3, "0,0,100,100/150,", enlarging)).toBe("malformed");
    expect(failureOf(v3, "256,0,256,256/256,256")).toBe("malformed");
    const values = { "endpoint.iiif.scale_reference": "image" };
    expect(sizeOf(v3, "0,0,100,100/150,", { values })).toBe("150x150");
    expect(sizeOf(v2, "0,0,100,100/150,", { values })).toBe("150x150");
    expect(failureOf(v3, "0,0,100,100/301,", { values })).toBe("malformed");
  });

  it.each(["1,", "pct:0.1", "!1,1"])(
    "that leave no pixel of a thin strip are malformed: %s",
    (size) => {
      const info = infoOf(pageOf(3000, 20));
      for (const version of [v1, v2, v3])
        expect(failureOf(version, `full/${size}`, { info })).toBe("malformed");
    },
  );

  it("may omit the height of a tile one pixel high", () => {
    const info = infoOf(pageOf(4000, 4097));
    const scene = { info };
    expect(sizeOf(v2, "0,4096,2048,1/512,", scene)).toBe("512x1");
    expect(failureOf(v2, "0,4090,2048,1/512,", scene)).toBe("malformed");
  });

  it("fitted into a box are never enlarged before 3.0", () => {
    expect(sizeOf(v2, "full/!600,600", enlarging)).toBe("300x200");
    expect(sizeOf(v1, "full/!600,600", enlarging)).toBe("300x200");
  });

  it("fitted into a box larger than the region can be rejected in 3.0", () => {
    const values = { "endpoint.iiif.3.confined_size": "refuse" };
    expect(failureOf(v3, "full/!360,360", { values })).toBe("malformed");
    expect(sizeOf(v3, "full/!360,100", { values })).toBe("150x100");
    expect(sizeOf(v3, "full/!300,360", { values })).toBe("300x200");
    expect(sizeOf(v3, "full/^!360,360", { values })).toBe("300x200");
    expect(sizeOf(v2, "full/!360,360", { values })).toBe("300x200");
  });
});

describe("limits", () => {
  const large = infoOf(pageOf(6000, 4000));
  const pixels = (max_pixels: number) => ({ info: large, values: { max_pixels } });

  it("reduce max and sizes fitted into a box", () => {
    expect(sizeOf(v3, "full/max", pixels(4_000_000))).toBe("2449x1632");
    expect(sizeOf(v2, "full/max", pixels(4_000_000))).toBe("2449x1632");
    expect(sizeOf(v3, "full/!5000,5000", pixels(4_000_000))).toBe("2449x1632");
    expect(sizeOf(v3, "0,0,1000,1000/max", pixels(4_000_000))).toBe("1000x1000");
  });

  it("determine the size of ^max", () => {
    const values = { max_scale: 0, max_pixels: 1_000_000 };
    expect(sizeOf(v3, "full/^max", { values })).toBe("1224x816");
    expect(sizeOf(v3, "full/^max", { values: { max_scale: 1.2 } })).toBe("360x240");
    expect(sizeOf(v3, "full/^!9000,9000", { values })).toBe("1224x816");
  });

  it.each([
    [v1, "full/full"],
    [v2, "full/full"],
    [v2, "full/5000,"],
    [v3, "full/5000,"],
    [v3, "full/pct:90"],
    [v3, "full/4000,3000"],
    [v3, "full/^4000,3000"],
  ])("reject any other size above them", (version, path) => {
    expect(failureOf(version, path, pixels(4_000_000))).toBe("malformed");
  });

  it("report by how much a size is too large", () => {
    expect(() => ask(v3, "full/4000,3000", pixels(4_000_000))).toThrow(
      "size: expected at most 4000000 pixels in all, got 4000x3000, which is 12000000",
    );
  });

  it("limit enlarging to a factor", () => {
    const values = { max_scale: 2 };
    expect(sizeOf(v3, "full/^600,", { values })).toBe("600x400");
    expect(failureOf(v3, "full/^601,", { values })).toBe("malformed");
    expect(sizeOf(v2, "full/600,400", { values })).toBe("600x400");
    expect(failureOf(v2, "full/600,401", { values })).toBe("malformed");
    expect(failureOf(v2, "full/pct:201", { values })).toBe("malformed");
  });

  it("below full size make max the largest available size", () => {
    const values = { max_scale: 0.5 };
    expect(sizeOf(v3, "full/max", { values })).toBe("150x100");
    expect(sizeOf(v3, "full/^max", { values })).toBe("150x100");
    expect(sizeOf(v2, "full/max", { values })).toBe("150x100");
    expect(failureOf(v2, "full/full", { values })).toBe("malformed");
    expect(failureOf(v3, "full/200,", { values })).toBe("malformed");
    expect(failureOf(v3, "full/^200,", { values })).toBe("malformed");
    expect(failureOf(v3, "full/^400,", { values })).toBe("unimplemented");
    // However thin: rows at full width could be joined to the whole.
    expect(sizeOf(v3, "0,0,300,1/max", { values })).toBe("150x1");
    expect(failureOf(v3, "0,0,300,1/300,", { values })).toBe("malformed");
    expect(failureOf(v3, "0,0,1,200/1,200", { values })).toBe("malformed");
    expect(failureOf(v2, "full/300,50", { values })).toBe("malformed");
    expect(failureOf(v3, "full/100,150", { values })).toBe("malformed");
  });

  it("still bound enlarging when they are disabled", () => {
    const values = { max_scale: 0, max_pixels: 0 };
    expect(failureOf(v3, "full/^99999999999,", { values })).toBe("malformed");
    expect(failureOf(v2, "full/20000,20000", { values })).toBe("malformed");
    expect(sizeOf(v3, "full/^10000,10000", { values })).toBe("10000x10000");
    const huge = infoOf(pageOf(40_000, 30_000));
    expect(sizeOf(v3, "full/max/0/default.png", { info: huge, values })).toBe("40000x30000");
  });

  it("include the maximum of the format, after rotation", () => {
    const wide = { info: infoOf(pageOf(20_000, 5000)), values: { max_pixels: 0 } };
    expect(failureOf(v3, "full/max/0/default.webp", wide)).toBe("malformed");
    expect(sizeOf(v3, "full/max/0/default.jpg", wide)).toBe("20000x5000");
    expect(sizeOf(v3, "full/16000,/0/default.webp", wide)).toBe("16000x4000");
    expect(sizeOf(v3, "full/16000,/90/default.webp", wide)).toBe("16000x4000");
    expect(failureOf(v3, "full/16000,/14/default.webp", wide)).toBe("malformed");
    expect(() => ask(v3, "full/max/0/default.webp", wide)).toThrow(
      "format: WebP holds at most 16383 pixels each way, got 20000x5000",
    );
  });
});

describe("a scale constraint", () => {
  const half = { info: infoOf(pageOf(6000, 4000)), constraint: { numerator: 1, denominator: 2 } };

  it("reduces the page, and its regions with it", () => {
    const { resolved, extent } = ask(v3, "1000,0,500,400/max", half);
    expect(extent.page).toEqual({ width: 3000, height: 2000 });
    expect(extent.crop).toEqual({ x: 1000, y: 0, width: 500, height: 400 });
    expect(resolved.crop).toEqual({ x: 2000, y: 0, width: 1000, height: 800 });
    expect(resolved.size).toEqual({ width: 500, height: 400 });
    expect(ask(v3, "pct:50,50,50,50/max", half).resolved.crop).toMatchObject({ x: 3000, y: 2000 });
    expect(failureOf(v3, "3000,0,10,10/max", half)).toBe("malformed");
  });

  it("limits every form of size", () => {
    expect(sizeOf(v3, "full/max", half)).toBe("3000x2000");
    expect(sizeOf(v3, "full/^max", half)).toBe("3000x2000");
    expect(sizeOf(v2, "full/full", half)).toBe("3000x2000");
    expect(sizeOf(v1, "full/full", half)).toBe("3000x2000");
    expect(sizeOf(v3, "full/!5000,5000", half)).toBe("3000x2000");
    expect(sizeOf(v3, "full/^!5000,5000", half)).toBe("3000x2000");
    expect(sizeOf(v3, "full/pct:50", half)).toBe("1500x1000");
    for (const version of [v1, v2, v3])
      for (const size of ["3100,", ",2100", "pct:110", "1000,2100"])
        expect(failureOf(version, `full/${size}`, half)).toBe("denied");
    expect(failureOf(v3, "full/^3100,", half)).toBe("denied");
    expect(failureOf(v3, "0,0,100,100/^200,", half)).toBe("denied");
  });

  it("tolerates one pixel of rounding", () => {
    expect(sizeOf(v2, "full/3001,", half)).toBe("3001x2001");
    expect(failureOf(v2, "full/3002,", half)).toBe("denied");
  });

  it("keeps adjacent regions adjacent", () => {
    const info = infoOf(pageOf(1000, 700));
    const constraint = { numerator: 1, denominator: 3 };
    // Of 333 pixels; rounded by itself, the left one would end a pixel before the right one begins.
    const left = ask(v3, "100,0,100,233/max", { info, constraint }).resolved.crop;
    const right = ask(v3, "200,0,133,233/max", { info, constraint }).resolved.crop;
    expect(left.x).toBe(300);
    expect(left.x + left.width).toBe(right.x);
    expect(right.x + right.width).toBe(1000);
    expect(right.height).toBe(700);
  });

  it("of n:n has no effect", () => {
    const constraint = { numerator: 2, denominator: 2 };
    expect(sizeOf(v2, "full/330,", { constraint, values: { max_scale: 2 } })).toBe("330x220");
  });
});

describe("where only listed sizes and tiles are available", () => {
  const size = { width: 6000, height: 4000 };
  const tiled = pageOf(6000, 4000, { levels: pyramid(size, { width: 256, height: 256 }, 4) });
  const values = { "endpoint.iiif.restrict_to_sizes": true, "endpoint.iiif.min_tile_size": 512 };
  const scene = { info: infoOf(tiled), values };

  it.each<[Version, string]>([
    [v3, "full/750,500"],
    [v3, "full/750,"],
    [v3, "full/,500"],
    [v2, "full/pct:12.5"],
    [v1, "full/750,500"],
    [v3, "full/750,500/!90/gray.png"],
    [v3, "full/750,500/22.5/bitonal.webp"],
    [v3, "512,1024,512,512/512,512"],
    [v2, "512,1024,512,512/512,"],
    [v2, "5120,0,880,1024/440,"],
    [v3, "4096,2048,1904,1952/476,488/90"],
    [v3, "full/375,250"],
  ])("serves %#", (version, path) => {
    expect(failureOf(version, path, scene)).toMatch(/^\d+x\d+$/);
  });

  it.each([
    "full/751,500",
    "0,0,750,500/512,342",
    "full/749,",
    "100,0,512,512/512,512",
    "0,100,512,512/512,512",
    "512,512,512,512/511,511",
    "0,0,513,512/513,512",
    "square/max",
    "full/^!4000,4000",
    "full/!400,400",
  ])("denies %s", (path) => {
    expect(failureOf(v3, path, scene)).toBe("denied");
  });

  it("max is the largest listed size", () => {
    const info = infoOf(pageOf(6000, 4000));
    const listed = { width: 3000, height: 2000 };
    for (const version of [v2, v3]) {
      const { resolved, extent } = ask(version, "full/max", { info, values });
      expect(resolved.size).toEqual(listed);
      expect(extent.largest).toEqual(listed);
    }
  });

  it("constrained and rotated pages have their own lists", () => {
    const info = infoOf(pageOf(6000, 4000, { orientation: 6 }));
    const constraint = { numerator: 1, denominator: 2 };
    expect(failureOf(v3, "full/max", { info, constraint, values })).toBe("2000x3000");
    expect(failureOf(v3, "full/1000,1500", { info, constraint, values })).toBe("1000x1500");
    expect(failureOf(v3, "full/1500,1000", { info, constraint, values })).toBe("denied");
  });
});

describe("a resolved request", () => {
  const info = infoOf(pageOf(300, 200), pageOf(50, 40, { orientation: 3 }));

  it("refers to the named page, with its size", () => {
    const { resolved } = ask(v3, "full/max", { info, page: 2 });
    expect(resolved).toMatchObject({ page: 1, orientation: 3, size: { width: 50, height: 40 } });
  });

  it("is rejected as missing if the image has no such page", () => {
    expect(failureOf(v3, "full/max", { info, page: 3 })).toBe("missing");
    expect(() => ask(v3, "full/max", { info, page: 3 })).toThrow("from 1 to 2");
  });

  it("rotates by less than a full circle", () => {
    expect(ask(v3, "full/max/360").resolved.rotation).toBe(0);
    expect(ask(v3, "full/max/!22.50").resolved).toMatchObject({ rotation: 22.5, mirror: true });
  });

  it("omits a quality that the page has anyway", () => {
    const grey = infoOf(
      pageOf(9, 9, { colour: { bits: 8, model: "grey", alpha: false, profile: "none" } }),
    );
    const quality = (name: string, of: ImageInfo) =>
      ask(v3, `full/max/0/${name}.jpg`, { info: of }).resolved.quality;
    expect(quality("color", example)).toBe("default");
    expect(quality("color", grey)).toBe("default");
    expect(quality("gray", grey)).toBe("default");
    expect(quality("gray", example)).toBe("gray");
    expect(quality("bitonal", grey)).toBe("bitonal");
  });

  it("is the same for all spellings", () => {
    const expected = ask(v3, "full/max").resolved;
    expect(ask(v2, "full/full").resolved).toEqual(expected);
    expect(ask(v2, "0,0,999,999/300,/360/color.jpg").resolved).toEqual(expected);
    expect(ask(v1, "pct:0,0,100,100/!300,300").resolved).toEqual(expected);
  });
});
