import { fail } from "../../../core/errors.ts";
import type { Size } from "../../../core/geometry.ts";
import {
  type Box,
  type ByteWindow,
  boxesIn,
  type ColourSpace,
  type ColourSpecification,
  colourSpaceOf,
  Fields,
} from "../../containers/index.ts";

/** A column of a palette. */
export interface Column {
  /** Bits of its values, 1 to 38. */
  readonly precision: number;
  readonly signed: boolean;
  readonly values: readonly number[];
}

/** The source of a channel (cmap; ISO/IEC 15444-1, I.5.3.5). */
export interface Mapping {
  /** Component of the codestream, counted from 0. */
  readonly component: number;
  /**
   * Column of the palette that the component's samples index; absent where they are the channel.
   */
  readonly column?: number;
}

/** The meaning of a channel (cdef; I.5.3.6). */
export interface ChannelUse {
  readonly channel: number;
  readonly kind: "colour" | "opacity" | "premultiplied" | "other";
  /** The colour it belongs to, counted from 1; 0 for the whole image, 65535 for none. */
  readonly of: number;
}

/** The content of the JP2 header box, as far as pixels depend on it. */
export interface FileHeader {
  /** The stated size of the image; absent in a bare codestream. */
  readonly size?: Size;
  /** In order of precedence; unknown ones are omitted. */
  readonly colours: readonly ColourSpace[];
  readonly palette?: readonly Column[];
  readonly mappings?: readonly Mapping[];
  readonly channels?: readonly ChannelUse[];
  /** Approximate memory in bytes. */
  readonly bytes: number;
}

/** Of a file that is a bare codestream. */
export const noHeader: FileHeader = { colours: [], bytes: 0 };

/** Parses a JP2 header box (I.5.3); throws `unreadable` where it, or a box in it, is incomplete. */
export const readHeader = async (window: ByteWindow, header: Box): Promise<FileHeader> => {
  const found = new HeaderParts();
  await takeAll(window, header, found);
  return found.header();
};

/**
 * The headers of one codestream of a JPX, or of its layer, if any (ISO/IEC 15444-2, M.11.6,
 * M.11.7). Throws as `readHeader`.
 */
export const readOwnHeader = async (
  window: ByteWindow,
  headers: readonly Box[],
): Promise<Partial<FileHeader> & Pick<FileHeader, "bytes">> => {
  const found = new HeaderParts();
  for (const header of headers) await takeAll(window, header, found);
  return found.parts();
};

const takeAll = async (window: ByteWindow, header: Box, found: HeaderParts): Promise<void> => {
  const stretch = { from: header.offset, to: header.offset + header.length };
  for await (const box of boxesIn(window, stretch)) {
    // A group of colour boxes (M.11.7.1).
    if (box.type === "cgrp" && header.type === "jplh") await takeAll(window, box, found);
    if (box.missing > 0)
      fail("unreadable", `Truncated box '${box.type}' in the header of the JPEG 2000.`);
    const max = sizes[box.type];
    if (max === undefined) continue;
    if (box.length > max)
      fail(
        "unreadable",
        `Expected a box '${box.type}' of at most ${max} bytes in the JPEG 2000, not ${box.length}.`,
      );
    const bytes = (await window.at(box.offset, box.length)).subarray(0, box.length);
    found.take(box.type, new Fields(`the box '${box.type}'`, bytes));
  }
};

/** The relevant boxes, and a sensible maximum of bytes for each. */
const sizes: Readonly<Partial<Record<string, number>>> = {
  ihdr: 64,
  colr: 16_777_216,
  pclr: 1_048_576,
  cmap: 65_536,
  cdef: 131_072,
};

class HeaderParts {
  readonly #colours: { readonly precedence: number; readonly space: ColourSpace }[] = [];
  #size: Size | undefined;
  #palette: readonly Column[] | undefined;
  #mappings: readonly Mapping[] | undefined;
  #channels: readonly ChannelUse[] | undefined;
  #bytes = 0;

  take(type: string, fields: Fields): void {
    this.#bytes += fields.left;
    switch (type) {
      case "ihdr": {
        const height = fields.long();
        this.#size = { width: fields.long(), height };
        return;
      }
      case "colr":
        this.#colour(fields);
        return;
      case "pclr":
        this.#palette = readPalette(fields);
        return;
      case "cmap":
        this.#mappings = readMappings(fields);
        return;
      case "cdef":
        this.#channels = readChannels(fields);
        return;
    }
  }

  header(): FileHeader {
    if (this.#size === undefined)
      return fail("unreadable", "The header of the JPEG 2000 has no image size.");
    return { colours: [], ...this.parts() };
  }

  /** The available parts of a header. */
  parts(): Partial<FileHeader> & Pick<FileHeader, "bytes"> {
    // A stable sort: of equals, the first applies.
    const colours = [...this.#colours].sort((one, other) => other.precedence - one.precedence);
    return {
      ...(this.#size && { size: this.#size }),
      ...(colours.length > 0 && { colours: colours.map(({ space }) => space) }),
      ...(this.#palette && { palette: this.#palette }),
      ...(this.#mappings && { mappings: this.#mappings }),
      ...(this.#channels && { channels: this.#channels }),
      // A palette's numbers take eight bytes each.
      bytes: 1_024 + this.#bytes * 8,
    };
  }

  #colour(fields: Fields): void {
    if (this.#colours.length >= maxColours || fields.left < 3) return;
    const said = readColour(fields);
    const space = said && colourSpaceOf(said.specification);
    if (said && space) this.#colours.push({ precedence: said.precedence, space });
  }
}

const maxColours = 64;

const readColour = (
  fields: Fields,
): { precedence: number; specification: ColourSpecification } | undefined => {
  const method = fields.byte();
  const precedence = (fields.byte() << 24) >> 24;
  // How accurate the colours are.
  fields.byte();
  if (method === methods.named && fields.left >= 4) {
    const number = fields.long();
    const parameters = fields.bytes(fields.left).slice();
    return { precedence, specification: { kind: "named", number, parameters } };
  }
  if (method === methods.restrictedProfile || method === methods.anyProfile) {
    const profile = fields.bytes(fields.left).slice();
    return { precedence, specification: { kind: "profile", profile } };
  }
  return undefined;
};

/** METH (15444-1, table I.9; 15444-2, table M.22). */
const methods = { named: 1, restrictedProfile: 2, anyProfile: 3 } as const;

/** I.5.3.4. */
const readPalette = (fields: Fields): readonly Column[] => {
  const entries = fields.short();
  const count = fields.byte();
  if (entries < 1 || entries > 1_024 || count < 1)
    fail(
      "unreadable",
      `Expected a palette of 1 to 1024 entries, not ${entries} entries in ${count} columns.`,
    );
  const depths = Array.from({ length: count }, () => fields.byte());
  const columns = depths.map((depth) => ({
    precision: (depth & 127) + 1,
    signed: depth > 127,
    values: [] as number[],
  }));
  if (columns.some(({ precision }) => precision > 32))
    fail("unreadable", "Expected a palette with at most 32 bits per value.");
  for (let entry = 0; entry < entries; entry++)
    for (const { precision, signed, values } of columns) {
      const value = fields.number(Math.ceil(precision / 8));
      values.push(signed && value >= 2 ** (precision - 1) ? value - 2 ** precision : value);
    }
  return columns;
};

const readMappings = (fields: Fields): readonly Mapping[] => {
  const mappings: Mapping[] = [];
  while (fields.left >= 4) {
    const component = fields.short();
    const isPalette = fields.byte() === 1;
    const column = fields.byte();
    mappings.push(isPalette ? { component, column } : { component });
  }
  return mappings;
};

const readChannels = (fields: Fields): readonly ChannelUse[] => {
  const count = fields.short();
  return Array.from({ length: Math.min(count, Math.floor(fields.left / 6)) }, () => ({
    channel: fields.short(),
    kind: kinds[fields.short()] ?? "other",
    of: fields.short(),
  }));
};

const kinds: readonly ChannelUse["kind"][] = ["colour", "opacity", "premultiplied"];
