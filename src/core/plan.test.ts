import { describe, expect, it } from "vitest";
import { type Plan, planKey, planOf } from "./plan.ts";

const wanted = {
  identifier: "maps/a",
  page: 1,
  orientation: 6,
  crop: { x: 1, y: 2, width: 3, height: 4 },
  size: { width: 5, height: 6 },
  mirror: true,
  rotation: 7.5,
  quality: "gray",
  format: "png",
} as const;
const options = {
  downscaleFilter: "box",
  upscaleFilter: "mitchell",
  linear: true,
  sharpen: 0.5,
  background: [1, 2, 3],
  colour: "srgb",
  deep: true,
  stored: true,
  whole: false,
  direct: true,
  preserve: false,
  encoding: { quality: 81 },
} as const;

describe("a plan", () => {
  it("includes all of the wanted operation, its options and the source's state", () => {
    const plan = planOf(wanted, options, "v1");
    expect(plan).toEqual({ ...wanted, ...options, sourceVersion: "v1" });
  });

  it("treats missing options as off", () => {
    const { stored: _, whole: __, direct: ___, preserve: ____, ...fewer } = options;
    expect(planOf(wanted, fewer, "v1")).toMatchObject({
      stored: false,
      whole: false,
      direct: false,
      preserve: false,
    });
  });
});

describe("a plan's key", () => {
  const plan = planOf(wanted, options, "v1");
  const changes: Required<Plan> = {
    identifier: "maps/b",
    page: 0,
    orientation: 1,
    crop: { x: 1, y: 2, width: 3, height: 5 },
    size: { width: 5, height: 7 },
    mirror: false,
    rotation: 7.25,
    quality: "bitonal",
    format: "jpg",
    downscaleFilter: "bell",
    upscaleFilter: "bell",
    linear: false,
    sharpen: 0.25,
    background: [1, 2, 4],
    colour: "keep",
    deep: false,
    stored: false,
    whole: true,
    direct: false,
    encoding: { quality: 82 },
    sourceVersion: "v2",
    preserve: true,
    xmp: "<rdf:RDF/>",
    cover: { redactions: [{ x: 0, y: 0, width: 1, height: 1 }] },
  };

  it.each(Object.keys(changes) as (keyof Plan)[])("differs where %s differs", (name) => {
    expect(planKey({ ...plan, [name]: changes[name] })).not.toBe(planKey(plan));
  });

  it("is the same for the same plan, and begins with the image's part", () => {
    const key = planKey(plan);
    expect(planKey(planOf({ ...wanted }, structuredClone(options), "v1"))).toBe(key);
    expect(key).toMatch(/^[0-9a-f]{32}\/[!#-~]+$/);
    expect(planKey({ ...plan, page: 0 }).slice(0, 33)).toBe(key.slice(0, 33));
  });
});
