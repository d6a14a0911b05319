import { fail } from "../../../core/errors.ts";
import { type ColourSpace, greySpace, rgbSpace } from "../../containers/index.ts";
import type { CodestreamHeader, Component } from "../codestream/index.ts";
import type { ChannelUse, Column, FileHeader, Mapping } from "./header.ts";

/** The source of a channel's values. */
export interface Channel {
  /** Component of the codestream, counted from 0. */
  readonly component: number;
  /** Column of the palette that its samples index. */
  readonly column?: Column;
}

/** The channels of an image. */
export interface Channels {
  readonly space: ColourSpace;
  /** As many as the space has, in its order. */
  readonly colours: readonly Channel[];
  readonly alpha?: Channel;
  /** Whether colours are premultiplied. */
  readonly premultiplied: boolean;
}

/**
 * Finds the colours and the opacity of an image; throws `unreadable` where the file names missing
 * components.
 */
export const channelsOf = (header: FileHeader, codestream: CodestreamHeader): Channels => {
  const { components } = codestream;
  const channels = mapped(header, components);
  const opacity = header.channels?.find(
    ({ kind, channel }) =>
      (kind === "opacity" || kind === "premultiplied") && channel < channels.length,
  );
  const colours = inOrder(channels, header.channels ?? []);
  const named = header.colours.find((known) => known.channels <= colours.length);
  const space = named ?? usual(colours.length);
  const chosen = colours.slice(0, space.channels);
  const alpha = opacity ? channels[opacity.channel] : unsaidOpacity(header, named, channels);
  return {
    space: isYcc(space, chosen, codestream) ? { ...space, coding: "ycc" } : space,
    colours: chosen,
    ...(alpha && { alpha }),
    premultiplied: opacity?.kind === "premultiplied",
  };
};

/**
 * The fourth channel of a file that claims RGB without describing its channels. By the standard its
 * meaning is unknown (I.5.3.6), but writers who omit the description mean opacity, and other
 * readers assume that.
 */
const unsaidOpacity = (
  { channels: uses }: FileHeader,
  named: ColourSpace | undefined,
  channels: readonly Channel[],
): Channel | undefined =>
  uses === undefined && named?.model === "rgb" && channels.length === 4 ? channels[3] : undefined;

/** The channels made of components and a palette (ISO/IEC 15444-1, I.5.3.5). */
const mapped = (header: FileHeader, components: readonly Component[]): readonly Channel[] => {
  const { palette, mappings } = header;
  if (palette === undefined) return components.map((_, component) => ({ component }));
  const all: readonly Mapping[] =
    mappings ?? palette.map((_, column) => ({ component: 0, column }));
  return all.map(({ component, column }) => {
    if (component >= components.length)
      fail(
        "unreadable",
        `Expected the JPEG 2000 to map one of its ${components.length} components, not number ${component}.`,
      );
    if (column === undefined) return { component };
    const values = palette[column];
    if (values === undefined)
      return fail(
        "unreadable",
        `Expected a column of the JPEG 2000's palette of ${palette.length}, not number ${column}.`,
      );
    return { component, column: values };
  });
};

/** The colour channels: those that belong to the first colour, the second and so on. */
const inOrder = (channels: readonly Channel[], uses: readonly ChannelUse[]): readonly Channel[] => {
  const useOf = (channel: number) => uses.find((use) => use.channel === channel);
  const plain = channels.flatMap((channel, index) => {
    const kind = useOf(index)?.kind ?? "colour";
    return kind === "colour" ? [{ channel, of: useOf(index)?.of ?? index + 1 }] : [];
  });
  // A stable sort: undistinguished colours keep their stored order.
  return plain.sort((one, other) => one.of - other.of).map(({ channel }) => channel);
};

const usual = (channels: number): ColourSpace => {
  if (channels === 0) fail("unreadable", "The JPEG 2000 has no colour channel.");
  return channels >= rgbSpace.channels ? rgbSpace : greySpace;
};

/** Components subsampled relative to the first are chroma, whatever a file calls them. */
const isYcc = (
  { coding, model, profile }: ColourSpace,
  colours: readonly Channel[],
  { components, transformed }: CodestreamHeader,
): boolean => {
  if (coding !== "plain" || model !== "rgb" || profile !== undefined || transformed) return false;
  const [first, ...others] = colours.map(({ component }) => components[component]);
  return others.every(
    (other) =>
      first !== undefined && other !== undefined && other.dx * other.dy > first.dx * first.dy,
  );
};
