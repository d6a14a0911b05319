import { describe, expect, it } from "vitest";
import { idOf } from "../../test/pages.ts";
import { ServerError } from "../core/errors.ts";
import type { ImageRequest, Region, SizeSpec } from "../core/request.ts";
import { parseImageRequest } from "./grammar.ts";
import { v1 } from "./v1.ts";
import { v2 } from "./v2.ts";
import { v3 } from "./v3.ts";
import type { Version } from "./version.ts";

const all = [v1, v2, v3];
const later = [v2, v3];

/** A request with one of its segments replaced. */
const read = (version: Version, part: Partial<Record<string, string>>): ImageRequest =>
  parseImageRequest(
    {
      region: "full",
      size: version === v3 ? "max" : "full",
      rotation: "0",
      quality: version === v1 ? "native.jpg" : "default.jpg",
      ...part,
    },
    version,
    idOf(),
  );

const expectRefusal = (
  version: Version,
  part: Partial<Record<string, string>>,
  failure = "malformed",
): void => {
  const attempt = () => read(version, part);
  const note = `${version.number}: ${JSON.stringify(part)}`;
  expect(attempt, note).toThrow(ServerError);
  expect(attempt, note).toThrow(expect.objectContaining({ failure }));
};

const pixels = (x: number, y: number, width: number, height: number): Region => ({
  kind: "pixels",
  rect: { x, y, width, height },
});
const percent = (x: number, y: number, width: number, height: number): Region => ({
  kind: "percent",
  rect: { x, y, width, height },
});

describe("the region segment", () => {
  it.each<[string, Region, readonly Version[]]>([
    ["full", { kind: "full" }, all],
    ["%66ull", { kind: "full" }, all],
    ["square", { kind: "square" }, later],
    ["0,0,1,1", pixels(0, 0, 1, 1), all],
    ["125,15,120,140", pixels(125, 15, 120, 140), all],
    ["125%2C15%2c120,140", pixels(125, 15, 120, 140), all],
    ["007,0,010,1", pixels(7, 0, 10, 1), all],
    ["0,0,99999999999,99999999999", pixels(0, 0, 99_999_999_999, 99_999_999_999), all],
    ["pct:41.6,7.5,40,70", percent(41.6, 7.5, 40, 70), all],
    ["pct%3A41.60,7.5,66.6,100", percent(41.6, 7.5, 66.6, 100), all],
    ["pct:0,0,.5,150", percent(0, 0, 0.5, 150), all],
    ["pct:100,0,1,1", percent(100, 0, 1, 1), all],
  ])("parses %s as %o", (region, expected, versions) => {
    for (const version of versions) expect(read(version, { region }).region).toEqual(expected);
  });

  it.each([
    "",
    "Full",
    "FULL",
    "full ",
    "Square",
    "0,0,1",
    "0,0,1,1,1",
    "0,0,1,",
    ",,,",
    "a,b,c,d",
    "-1,0,1,1",
    "+1,0,1,1",
    "%2B1,0,1,1",
    "1.5,0,1,1",
    "1e1,0,1,1",
    "0x1,0,1,1",
    "0,0,0,1",
    "0,0,1,0",
    " 0,0,1,1",
    "0, 0,1,1",
    "٣,0,1,1",
    "NaN,0,1,1",
    "pct:",
    "pct:1,1,1",
    "pct:-1,0,1,1",
    "pct:0,0,0,1",
    "pct:0,0,1,0.0",
    "pct:5.,0,1,1",
    "pct:.,0,1,1",
    "pct:1.2.3,0,1,1",
    "pct:1e1,0,1,1",
    "PCT:0,0,1,1",
    "pct:0,0,1,Infinity",
    "pct%253A0,0,1,1",
    "%",
    "%ff",
    "%00",
  ])("rejects %s in every version", (region) => {
    for (const version of all) expectRefusal(version, { region });
  });

  it("rejects square in 1.1", () => {
    expectRefusal(v1, { region: "square" });
  });
});

describe("the size segment", () => {
  it.each<[string, object, readonly Version[]]>([
    ["full", { kind: "full" }, [v1, v2]],
    ["max", { kind: "max" }, later],
    ["150,", { kind: "width", width: 150 }, all],
    [",150", { kind: "height", height: 150 }, all],
    ["150%2C75", { kind: "exact", width: 150, height: 75 }, all],
    ["0150,75", { kind: "exact", width: 150, height: 75 }, all],
    ["!225,100", { kind: "within", width: 225, height: 100 }, all],
    ["%21225,100", { kind: "within", width: 225, height: 100 }, all],
    ["pct:50", { kind: "percent", percent: 50 }, all],
    ["pct%3A.5", { kind: "percent", percent: 0.5 }, all],
    ["pct:120.50", { kind: "percent", percent: 120.5 }, all],
    ["99999999999,", { kind: "width", width: 99_999_999_999 }, all],
  ])("parses %s as %o", (size, expected, versions) => {
    for (const version of versions)
      expect(read(version, { size }).size).toEqual({ ...expected, upscale: version !== v3 });
  });

  it.each<[string, object]>([
    ["^max", { kind: "max" }],
    ["%5Emax", { kind: "max" }],
    ["^360,", { kind: "width", width: 360 }],
    ["%5E360,", { kind: "width", width: 360 }],
    ["^,240", { kind: "height", height: 240 }],
    ["^pct:120", { kind: "percent", percent: 120 }],
    ["^360,360", { kind: "exact", width: 360, height: 360 }],
    ["^!360,360", { kind: "within", width: 360, height: 360 }],
  ])("requests enlarging by %s in 3.0 only", (size, expected) => {
    const asked = { ...expected, upscale: true, asked: true } as SizeSpec;
    expect(read(v3, { size }).size).toEqual(asked);
    expectRefusal(v2, { size });
    expectRefusal(v1, { size });
  });

  it.each([
    "",
    ",",
    "!",
    "!,",
    "!150",
    "!150,",
    "!,150",
    "!max",
    "!full",
    "!pct:50",
    "150",
    "0,",
    ",0",
    "0,0",
    "150,0",
    "!0,100",
    "pct:0",
    "pct:0.0",
    "pct:",
    "pct:-5",
    "pct:5.",
    "pct:50,50",
    "pct:1e1",
    "Max",
    "FULL",
    "-1,",
    "+1,",
    "1.5,",
    "150,75,",
    "150,75,1",
    "200;100",
    "150,!75",
    " 150,",
    "!^150,75",
    ",^240",
    "^^150,",
    "^",
    "^full",
    "^150",
    "^0,",
    "%ff",
    "%",
  ])("rejects %s in every version", (size) => {
    for (const version of all) expectRefusal(version, { size });
  });

  it("accepts full up to 2.1 and max from 2.1 on", () => {
    expectRefusal(v3, { size: "full" });
    expectRefusal(v1, { size: "max" });
  });

  it("reports what was expected and what was received", () => {
    expect(() => read(v3, { size: "200;100" })).toThrow(/^size: expected .*w,h.*, got '200;100'$/);
  });

  it("truncates long values in messages", () => {
    expect(() => read(v3, { size: "x".repeat(5000) })).toThrow(/, got 'x{100}…'$/);
  });
});

describe("the rotation segment", () => {
  it.each<[string, number]>([
    ["0", 0],
    ["90", 90],
    ["360", 360],
    ["360.0", 360],
    ["22.5", 22.5],
    ["22.50", 22.5],
    [".5", 0.5],
    ["345", 345],
    ["090", 90],
  ])("parses %s as %d degrees, mirrored after a !", (rotation, degrees) => {
    for (const version of all)
      expect(read(version, { rotation })).toMatchObject({ rotation: degrees, mirror: false });
    for (const version of later)
      for (const mark of ["!", "%21"])
        expect(read(version, { rotation: mark + rotation })).toMatchObject({
          rotation: degrees,
          mirror: true,
        });
    expectRefusal(v1, { rotation: `!${rotation}` });
  });

  it.each([
    "",
    "!",
    "!!0",
    "0!",
    "-1",
    "+1",
    "%2B1",
    "360.1",
    "361",
    "90.",
    ".",
    "1e1",
    "NaN",
    "abc",
    "1,5",
    "Infinity",
    "%c3",
    "99999999999",
  ])("rejects %s in every version", (rotation) => {
    for (const version of all) expectRefusal(version, { rotation });
  });
});

describe("the quality segment", () => {
  it.each([
    ["default", "default", later],
    ["gray", "gray", later],
    ["native", "default", [v1]],
    ["grey", "gray", [v1]],
    ["color", "color", all],
    ["bitonal", "bitonal", all],
  ])("parses %s as %s", (quality, expected, versions) => {
    for (const version of versions)
      expect(read(version, { quality: `${quality}.png` })).toMatchObject({
        quality: expected,
        format: "png",
      });
  });

  it.each(["Default", "COLOR", "colour", "", "toString", "__proto__", "default.color", "%ff"])(
    "rejects %s in every version",
    (quality) => {
      for (const version of all) expectRefusal(version, { quality: `${quality}.jpg` });
    },
  );

  it("accepts each version's own words only", () => {
    for (const version of later)
      for (const quality of ["native.jpg", "grey.jpg"]) expectRefusal(version, { quality });
    for (const quality of ["default.jpg", "gray.jpg"]) expectRefusal(v1, { quality });
  });
});

describe("the format", () => {
  it.each(["jpg", "png", "tif", "gif", "webp", "avif"])("can be %s in every version", (format) => {
    for (const version of all) {
      const quality = version === v1 ? `native.${format}` : `default.${format}`;
      expect(read(version, { quality }).format).toBe(format);
    }
  });

  it.each(["jpeg", "JPG", "tiff", "j2k", "bmp", "svg", "exe", "", "toString"])(
    "%s is malformed from 2.0 on",
    (format) => {
      for (const version of later) expectRefusal(version, { quality: `default.${format}` });
    },
  );

  it.each(["JPG", "bmp", "svg", "exe", ""])("%s is unsupported in 1.1", (format) => {
    expectRefusal(v1, { quality: `native.${format}` }, "unsupported");
  });

  it("accepts any known extension in 1.1", () => {
    expect(read(v1, { quality: "native.jpeg" }).format).toBe("jpg");
    expect(read(v1, { quality: "native.tiff" }).format).toBe("tif");
  });

  it("may be omitted in 1.1 only, where the server then chooses", () => {
    expect(read(v1, { quality: "native" }).format).toBe("jpg");
    const segments = { region: "full", size: "full", rotation: "0", quality: "native" };
    expect(parseImageRequest(segments, v1, idOf(), "png").format).toBe("png");
    for (const version of later) expectRefusal(version, { quality: "default" });
  });
});
