import type { FormatName } from "../core/formats.ts";
import type { Size } from "../core/geometry.ts";
import type { Traffic } from "../core/source.ts";
import { factsOf, formatNamed } from "../formats/registry.ts";
import { libvips, ours } from "../formats/shared/index.ts";
import type { Explained, ExplainedRun } from "./explanation.ts";

/** An explanation as lines for people. */
export const reportOf = (explained: Explained): string =>
  [
    ...answerLines(explained),
    ...imageLines(explained),
    ...planLines(explained),
    ...wayLines(explained),
    ...optional("pyramid", explained.pyramid && pyramidText(explained.pyramid)),
    ...(explained.runs ?? []).flatMap((run, n) =>
      runLines(run, n === 0 ? "first time" : "once more", explained.image?.format),
    ),
    "",
  ].join("\n");

const line = (name: string, said: string): string => `${name.padEnd(13)}${said}`;

const optional = (name: string, said: string | undefined): readonly string[] =>
  said === undefined ? [] : [line(name, said)];

const count = (value: number): string => value.toLocaleString("en");

const sizeText = ({ width, height }: Size): string => `${width} x ${height}`;

const answerLines = ({ answer, key }: Explained): readonly string[] => [
  line(
    "answer",
    [answer.status, answer.type, answer.location, answer.message].filter(Boolean).join(", "),
  ),
  ...optional("ETag", answer.etag),
  ...optional("cache key", key),
];

const imageLines = ({ image, page }: Explained): readonly string[] => {
  if (image === undefined) return [];
  const { source } = image;
  const { path, place, requested } = source;
  const facts = [
    place ?? path,
    `${count(source.bytes)} bytes`,
    source.lastModified && `changed ${source.lastModified}`,
  ];
  const of = `${count(image.pages)} ${image.pages === 1 ? "page" : "pages"}`;
  return [
    ...optional("identifier", image.identifier),
    line("source", facts.filter(Boolean).join(", ")),
    ...optional("copy", place === path ? undefined : path),
    ...optional("requested", requested && `${requestedText(requested)}, to learn of the image`),
    line("version", source.version),
    line("image", `${factsOf(image.format).name}, ${of}`),
    ...(page === undefined
      ? []
      : [
          line(
            "page",
            `${page.number}: ${sizeText(page.size)}, ${page.colour.model}, ${page.colour.bits} bits`,
          ),
        ]),
  ];
};

const pyramidText = (pyramid: NonNullable<Explained["pyramid"]>): string => {
  const { state, used } = pyramid;
  switch (state.kind) {
    case "unneeded":
      return "not needed, the page is fast to zoom";
    case "absent":
      return `none yet; requests have caused ${Math.round(state.share * 100)} % of the decoding after which one is made; ${gainText(pyramid)}`;
    case "pending":
      return `waiting or being made; ${gainText(pyramid)}`;
    case "refused":
      return `refused: ${state.reason} ${capitalized(gainText(pyramid))}`;
    case "ready":
      return used
        ? `used, ${count(state.bytes)} bytes; ${gainText(pyramid)}`
        : `made, ${count(state.bytes)} bytes, not used: it would gain nothing for this request`;
  }
};

/** The gain of a pyramid for the request, as a ratio of estimated costs. */
const gainText = ({
  used,
  pixelsWith,
  pixelsWithout,
}: NonNullable<Explained["pyramid"]>): string => {
  const ratio = pixelsWithout / Math.max(1, pixelsWith);
  if (!used && ratio <= 1) return "it would gain nothing for this request";
  const costs = `${count(pixelsWith)} instead of ${count(pixelsWithout)} pixels`;
  return `it ${used ? "makes" : "would make"} the request ${times(ratio)} cheaper (${costs})`;
};

/** As in `1.8 times`, `12 times`. */
const times = (ratio: number): string =>
  `${count(ratio < 10 ? Math.round(ratio * 10) / 10 : Math.round(ratio))} times`;

const capitalized = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

const requestedText = ({ requests, bytes }: Traffic): string =>
  `${count(requests)} ${requests === 1 ? "time" : "times"}, ${count(bytes)} bytes`;

const planLines = ({ plan }: Explained): readonly string[] => {
  if (plan === undefined) return [];
  const { crop, size, mirror, rotation, quality, format, encoding } = plan;
  const turned = `${mirror ? ", mirrored" : ""}${rotation === 0 ? "" : `, rotated by ${rotation}`}`;
  const options = Object.entries(encoding).map(([name, value]) => `${name} ${String(value)}`);
  return [
    line(
      "wanted",
      `${sizeText(crop)} at ${crop.x},${crop.y} as ${sizeText(size)}${turned}, ${quality}`,
    ),
    line("as", [factsOf(format).name, ...options].join(", ")),
  ];
};

const wayLines = ({
  way,
  notStored,
  notRecoded,
  notScaled,
  reading,
  cost,
}: Explained): readonly string[] => [
  ...(reading === undefined
    ? []
    : [
        line(
          "level",
          `${reading.level} of ${reading.levels}: ${sizeText(reading.size)} in pieces of ${sizeText(reading.tile)}, ${reading.compression}`,
        ),
        line("reads", `${piecesText(reading)}, ${count(reading.bytes)} bytes`),
      ]),
  ...(way === undefined ? [] : [line("way", ways[way])]),
  ...optional("not stored", notStored),
  ...optional("not recoded", notRecoded),
  ...optional("not scaled", notScaled),
  ...(cost === undefined
    ? []
    : [
        line(
          "cost",
          `${count(cost.pixels)} pixels, ${count(Math.round(cost.bytes))} bytes, lane of ${cost.lane} work`,
        ),
      ]),
];

const piecesText = ({ tiles, blocks }: NonNullable<Explained["reading"]>): string =>
  blocks === undefined
    ? `${count(tiles)} of them`
    : `${count(blocks)} code-blocks of ${count(tiles)} ${tiles === 1 ? "tile" : "tiles"}`;

const ways = {
  stored: "stored: sent without decoding and without admission",
  recoded: "recoded: pixel for pixel by the threads for tiles, without libvips",
  scaled: "scaled: downscaled by the threads for tiles, without libvips",
  drawn: "drawn: by libvips",
} as const;

/**
 * What opens a local file directly, so that its reads are not counted: the reader of the format, or
 * the decoder of a file that is read here first.
 */
const openers = (format: FormatName | undefined): string => {
  // Of these FFmpeg reads the frames.
  if (format === "avif") return "libvips or FFmpeg";
  if (format === "heic") return "FFmpeg";
  const reader = format === undefined ? undefined : formatNamed(format)?.reader;
  return reader === undefined || reader === ours ? libvips.name : reader.name;
};

const runLines = (
  run: ExplainedRun,
  name: string,
  format: FormatName | undefined,
): readonly string[] => [
  line(name, `${run.status}, ${count(run.bytes)} bytes after ${run.milliseconds} ms`),
  line(
    "",
    Object.entries(run.stages)
      .map(([stage, ms]) => `${stage} ${ms}`)
      .join(", "),
  ),
  line(
    "",
    `${run.read.requested ? `requested ${requestedText(run.read.requested)}; ` : ""}read ${count(run.read.bytes)} bytes of the source, ${run.read.times} times${run.read.opened ? `; ${openers(format)} may have read more on its own` : ""}`,
  ),
];
