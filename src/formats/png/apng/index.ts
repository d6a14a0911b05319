export { type Animation, type Frame, readAnimation } from "./animation.ts";
export { beginningOf, draw, newCanvas, partOf, restore } from "./canvas.ts";
export { frameFile } from "./frame-file.ts";
