import type { Shown } from "./grid.ts";
import type { ApiVersion, Parts } from "./requests.ts";

/**
 * A request at the limits of what is allowed, and its response: a refusal, or a part of the 300×200
 * image.
 */
export interface Edge extends Parts {
  /** All three where absent. */
  readonly versions?: readonly ApiVersion[];
  readonly status?: number;
  readonly shown?: Shown;
}

const whole: Shown["region"] = [0, 0, 300, 200];
const scaled = (width: number, height: number): Shown => ({ region: whole, size: [width, height] });
const cropped = (x: number, y: number, w: number, h: number): Shown => ({
  region: [x, y, w, h],
  size: [w, h],
});
const refused = (part: keyof Parts, status: number, values: readonly string[]): Edge[] =>
  values.map((value) => ({ [part]: value, status }));

/** Region (3.0 §4.1): overhang is clipped, empty or outside regions are refused. */
export const regionEdges: readonly Edge[] = [
  { region: "200,150,200,100", shown: cropped(200, 150, 100, 50) },
  { region: "0,0,99999999999,99999999999", shown: scaled(300, 200) },
  { region: "299,199,1,1", format: "png", size: "1,1", status: 200 },
  { region: "pct:0,0,100,100", shown: scaled(300, 200) },
  { region: "pct:50,50,100,200", shown: cropped(150, 100, 150, 100) },
  // The specifications' own example: 124.8 must become 125, or the width would be 176.
  { region: "pct:41.6,7.5,66.6,100", shown: cropped(125, 15, 175, 185) },
  { region: "pct:.5,0,50,50", shown: cropped(2, 0, 150, 100) },
  { region: "pct:10.0,10.00,50.0,50", shown: cropped(30, 20, 150, 100) },
  { region: "square", versions: [2, 3], shown: cropped(50, 0, 200, 200) },
  { region: "square", versions: [1], status: 400 },
  { region: "pct%3A50,50,50,50", shown: cropped(150, 100, 150, 100) },
  { region: "%30%2C0%2C150%2C100", shown: cropped(0, 0, 150, 100) },
  ...refused("region", 400, [
    "300,0,10,10",
    "0,200,10,10",
    "99999999999,0,1,1",
    "0,0,0,10",
    "0,0,10,0",
    "pct:100,0,10,10",
    "pct:0,0,0,10",
    "pct:0,0,0.1,0.1",
    "-1,0,10,10",
    "+1,0,10,10",
    "1.5,0,10,10",
    "1e1,0,10,10",
    "0x1,0,10,10",
    "%200,0,10,10",
    "%D9%A3,0,10,10",
    "0,0,10",
    "0,0,10,10,10",
    ",,,",
    "Full",
    "full,",
    "pct:",
    "pct:5.,0,10,10",
    "pct:1.2.3,0,10,10",
    "pct:-1,0,10,10",
    "pct:NaN,0,10,10",
    "pct:1e1,0,10,10",
    "PCT:0,0,10,10",
    "pct0,0,10,10",
  ]),
];

/** Size (3.0 §4.2), as long as nothing may be enlarged. */
export const sizeEdges: readonly Edge[] = [
  { size: "full", versions: [1, 2], shown: scaled(300, 200) },
  { size: "full", versions: [3], status: 400 },
  { size: "max", versions: [2, 3], shown: scaled(300, 200) },
  { size: "max", versions: [1], status: 400 },
  { size: "^max", versions: [3], shown: scaled(300, 200) },
  { size: "^max", versions: [1, 2], status: 400 },
  { size: "300,200", shown: scaled(300, 200) },
  { size: "150,", shown: scaled(150, 100) },
  { size: ",100", shown: scaled(150, 100) },
  { size: "pct:50", shown: scaled(150, 100) },
  { size: "pct:100", shown: scaled(300, 200) },
  // 22.5 is rounded up.
  { size: ",15", shown: scaled(23, 15) },
  { size: "100,190", shown: scaled(100, 190) },
  { size: "!150,150", shown: scaled(150, 100) },
  { size: "!360,100", shown: scaled(150, 100) },
  { size: "!150,99999999999", shown: scaled(150, 100) },
  // 3.0 §4.2: as large as possible, and never enlarged; 2.1: best fit, and the server may choose.
  { size: "!360,360", shown: scaled(300, 200) },
  { size: "!99999999999,99999999999", shown: scaled(300, 200) },
  // A ^ that enlarges nothing has no effect.
  { size: "^150,", versions: [3], shown: scaled(150, 100) },
  { size: "^!150,150", versions: [3], shown: scaled(150, 100) },
  { size: "^pct:50", versions: [3], shown: scaled(150, 100) },
  { size: "^150,100", versions: [3], shown: scaled(150, 100) },
  { size: "%5E150,", versions: [3], shown: scaled(150, 100) },
  { size: "%21150,150", shown: scaled(150, 100) },
  { size: "150%2C100", shown: scaled(150, 100) },
  { size: "pct%3A50", shown: scaled(150, 100) },
  // Enlarging is valid, and not implemented while max_scale is 1.
  { size: "^301,", versions: [3], status: 501 },
  { size: "^,201", versions: [3], status: 501 },
  { size: "^pct:101", versions: [3], status: 501 },
  { size: "^99999999999,", versions: [3], status: 501 },
  ...refused("size", 400, [
    "301,",
    ",201",
    "301,200",
    "300,201",
    "pct:101",
    "99999999999,",
    ",99999999999",
    "99999999999,99999999999",
    "pct:99999999999",
    "0,",
    ",0",
    "0,0",
    "pct:0",
    "pct:0.1",
    "!0,10",
    "!10,0",
    "!10,",
    "!,10",
    "!10",
    ",",
    "10",
    "10,10,10",
    "-10,",
    "+10,",
    "1.5,",
    "1e1,",
    "Max",
    "!^10,10",
    "pct:^10",
    "pct:",
    "pct:10.",
    "pct:-10",
    "pct:Infinity",
    "%2010,",
    "10,%0A",
  ]),
  { region: "256,0,256,256", size: "256,256", versions: [3], status: 400 },
  { region: "0,0,300,1", size: "100,", status: 400 },
];

const turned = (turns: 0 | 1 | 2 | 3): Shown => ({ region: whole, size: [300, 200], turns });
const mirrored = (turns: 0 | 1 | 2 | 3): Shown => ({ ...turned(turns), mirror: true });

/** Rotation (3.0 §4.3): 0 to 360 inclusive; mirroring from 2.0 on. */
export const rotationEdges: readonly Edge[] = [
  { rotation: "0.0", shown: turned(0) },
  { rotation: "90", shown: turned(1) },
  { rotation: "90.00", shown: turned(1) },
  { rotation: "180", shown: turned(2) },
  { rotation: "270", shown: turned(3) },
  { rotation: "360", shown: turned(0) },
  { rotation: "%390", shown: turned(1) },
  { rotation: "!0", versions: [2, 3], shown: mirrored(0) },
  { rotation: "!90", versions: [2, 3], shown: mirrored(1) },
  { rotation: "!180", versions: [2, 3], shown: mirrored(2) },
  { rotation: "!270", versions: [2, 3], shown: mirrored(3) },
  { rotation: "!360", versions: [2, 3], shown: mirrored(0) },
  { rotation: "%2190", versions: [2, 3], shown: mirrored(1) },
  { rotation: "!90", versions: [1], status: 400 },
  { rotation: ".5", status: 200 },
  { rotation: "359.9", status: 200 },
  { rotation: "22.50", status: 200 },
  ...refused("rotation", 400, [
    "361",
    "360.1",
    "-1",
    "-0",
    "+90",
    "1e2",
    "5.",
    ".",
    "!",
    "90!",
    "!!90",
    "!361",
    "!%2090",
    "NaN",
    "Infinity",
    "0x5A",
    "90deg",
    "99999999999",
  ]),
];

/** Quality and format (3.0 §4.4, §4.5); the words are case-sensitive. */
export const formatEdges: readonly Edge[] = [
  { quality: "color", shown: turned(0) },
  { quality: "gray", status: 200 },
  { quality: "bitonal", status: 200 },
  { quality: "%64efault", versions: [2, 3], shown: turned(0) },
  { format: "%6Apg", shown: turned(0) },
  { quality: "native", versions: [2, 3], status: 400 },
  { quality: "grey", versions: [2, 3], status: 400 },
  ...refused("quality", 400, ["Default", "colour", "Color", "bitonal%20", "default,", "%20"]),
  { format: "bmp", versions: [2, 3], status: 400 },
  { format: "bmp", versions: [1], status: 415 },
  ...["JPG", "jpeg", "tiff", "exe", "jpg%20", "%20jpg", "svg", "png.", "jpg.exe"].map(
    (format): Edge => ({ format, versions: [2, 3], status: 400 }),
  ),
  { format: "", versions: [2, 3], status: 400 },
  { format: "", versions: [1], shown: turned(0) },
];
