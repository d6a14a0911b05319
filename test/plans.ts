import type { Plan } from "../src/core/plan.ts";

/** A plan for tests of parts that take one but do not use it. */
export const plan: Plan = {
  identifier: "picture",
  page: 0,
  orientation: 1,
  crop: { x: 0, y: 0, width: 1, height: 1 },
  size: { width: 1, height: 1 },
  mirror: false,
  rotation: 0,
  quality: "default",
  format: "jpg",
  downscaleFilter: "lanczos3",
  upscaleFilter: "bicubic",
  linear: false,
  sharpen: 0,
  background: [255, 255, 255],
  colour: "keep",
  deep: false,
  encoding: {},
  sourceVersion: "1",
};
