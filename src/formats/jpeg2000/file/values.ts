import { setImmediate } from "node:timers/promises";
import { fail } from "../../../core/errors.ts";
import type { Rect } from "../../../core/geometry.ts";
import type { DecodedPixels, Depth, Values } from "../../shared/index.ts";
import type { Component, Plane } from "../codestream/index.ts";
import type { Channel, Channels } from "./channels.ts";
import { type Convert, conversionOf, unmultiply } from "./conversion.ts";
import { isUnchanged, type ToDepth, toDepth } from "./depth.ts";

/** The lossless depth, up to sixteen bits. */
export const depthOf = (what: Channels, components: readonly Component[]): Depth =>
  sourcesOf(what).some((channel) => precisionOf(channel, components) > 8) ? 16 : 8;

/** The channels of a pixel in order. */
export const sourcesOf = ({ colours, alpha }: Channels): readonly Channel[] =>
  alpha === undefined ? colours : [...colours, alpha];

/** Bits of a channel's values as stored. */
export const precisionOf = (
  { component, column }: Channel,
  components: readonly Component[],
): number => (column ?? components[component])?.precision ?? 0;

/** Pixels between two checks of the signal and yields to the event loop: a few milliseconds. */
const pixelsPerIteration = 131_072;

/**
 * Makes pixels of the samples of components, each of which may have its own depth and resolution: a
 * sample covers all pixels from its position to the next one's. `planes` are by component, `pixels`
 * is the image's position among the pixels of its level.
 */
export const pictureOf = async (
  what: Channels,
  planes: ReadonlyMap<number, Plane>,
  {
    pixels,
    depth,
    signal,
  }: { readonly pixels: Rect; readonly depth: Depth; readonly signal: AbortSignal },
): Promise<DecodedPixels> => {
  const sources = sourcesOf(what);
  const channels = sources.length;
  const length = pixels.width * pixels.height * channels;
  const values = depth === 8 ? new Uint8Array(length) : new Uint16Array(length);
  const fills = sources.map((channel, index) =>
    filling(channel, planes.get(channel.component), { pixels, depth, values, index, channels }),
  );
  const changes = changesOf(what, planes, depth);
  const rows = Math.max(1, Math.floor(pixelsPerIteration / pixels.width));
  const stride = pixels.width * channels;
  for (let row = 0; row < pixels.height; row += rows) {
    if (row > 0) await setImmediate();
    signal.throwIfAborted();
    const end = Math.min(row + rows, pixels.height);
    for (const fill of fills) for (let y = row; y < end; y++) fill(y);
    for (const change of changes) change(values, row * stride, end * stride, channels);
  }
  return { values, depth, channels };
};

/** The conversion of pixels once all their values are there. */
const changesOf = (
  { space, colours, premultiplied, alpha }: Channels,
  planes: ReadonlyMap<number, Plane>,
  depth: Depth,
): readonly Convert[] => {
  const [first] = colours;
  const stored = (first?.column ?? planes.get(first?.component ?? 0))?.precision ?? depth;
  const conversion = conversionOf(space, depth, stored);
  return [
    ...(conversion ? [conversion] : []),
    ...(premultiplied && alpha ? [unmultiply(depth)] : []),
  ];
};

interface Target {
  readonly pixels: Rect;
  readonly depth: Depth;
  readonly values: Values;
  /** Index of the channel in a pixel. */
  readonly index: number;
  readonly channels: number;
}

/** Sets one channel of a row. */
const filling = (
  channel: Channel,
  plane: Plane | undefined,
  target: Target,
): ((row: number) => void) => {
  if (plane === undefined || plane.width < 1 || plane.height < 1)
    return fail(
      "unreadable",
      `Component ${channel.component + 1} of the JPEG 2000 has no samples.`,
    );
  const { pixels, depth, values, index, channels } = target;
  const { samples } = plane;
  const columns = placesOf(plane.dx, [pixels.x, pixels.width], [plane.x, plane.width]);
  const lines = placesOf(plane.dy, [pixels.y, pixels.height], [plane.y, plane.height]);
  const to: ToDepth | undefined = isUnchanged(channel, plane, depth)
    ? undefined
    : toDepth(channel, plane, depth);
  return (row) => {
    const line = (lines[row] ?? 0) * plane.width;
    let at = row * pixels.width * channels + index;
    for (let x = 0; x < pixels.width; x++) {
      const sample = samples[line + (columns[x] ?? 0)] ?? 0;
      values[at] = to === undefined ? sample : to(sample);
      at += channels;
    }
  };
};

/** For each pixel along a side, the index of the component's sample that covers it. */
const placesOf = (
  step: number,
  [first, length]: readonly [number, number],
  [start, count]: readonly [number, number],
): Int32Array =>
  Int32Array.from({ length }, (_, pixel) =>
    Math.max(0, Math.min(count - 1, Math.floor((first + pixel) / step) - start)),
  );
