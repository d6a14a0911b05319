export { type Animation, type ApngFrame, readAnimation } from "./animation.ts";
export { beginningOf, draw, newCanvas, partOf, restore } from "./canvas.ts";
export { frameFile } from "./frame-file.ts";
