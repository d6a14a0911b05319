import { ByteWindow, damaged, Fields } from "../../containers/index.ts";
import type {
  Codestream,
  CodestreamHeader,
  CodestreamPlace,
  Component,
  OpenCodestream,
} from "./contract.ts";
import { checkExtent } from "./extent.ts";
import { isStandalone, markerName, markers } from "./markers.ts";
import { type Coding, type CodingDefault, ofComponent, ParametersRead } from "./parameters.ts";
import { styles } from "./segments.ts";

/** A codestream with the whole content of its main header. */
export interface MainHeader extends Codestream {
  readonly parameters: ParametersRead & { readonly coding: CodingDefault };
  /** Offset of the first tile-part in the file. */
  readonly end: number;
  /** TLM segments in the order of their indexes, without these (A.7.1). */
  readonly tilePartLengths: readonly Uint8Array[];
  /** PLM's list for each tile-part, in the order of the codestream (A.7.2). */
  readonly packetLengths: readonly Uint8Array[];
  /**
   * The packet headers of each tile-part, in the order of the codestream, where they are packed
   * (PPM: A.7.4).
   */
  readonly packedHeaders: readonly Uint8Array[];
}

/** Opens a codestream: parses its main header (ISO/IEC 15444-1, A.4.1 to A.9). */
export const openCodestream = (async (reader, place, signal): Promise<MainHeader> => {
  const window = new ByteWindow(reader, place.offset + place.length, signal);
  const start = new Fields("SOC", await window.at(place.offset, 2));
  if (start.short() !== markers.startOfCodestream) damaged("a codestream's start");
  const read = new HeaderRead();
  let at = place.offset + 2;
  for (;;) {
    const head = new Fields("the main header", await window.at(at, 4));
    const marker = head.short();
    if (marker === markers.startOfTilePart) break;
    if (marker < 0xff00) damaged("a marker in the main header");
    if (isStandalone(marker)) {
      at += 2;
      continue;
    }
    const length = head.short();
    if (length < 2) damaged(`a length of 2 or more behind ${markerName(marker)}`);
    const body = (await window.at(at + 4, length - 2)).subarray(0, length - 2);
    if (body.length < length - 2) damaged(`the whole of ${markerName(marker)}`);
    read.take(marker, body);
    at += 2 + length;
    if (at - place.offset > maxHeaderBytes) damaged("a main header of at most 64 MB");
  }
  return { ...read.finish(place, at), identity: reader.identity };
}) satisfies OpenCodestream;

/** Maximum size: packed packet headers of a very large image may take this much. */
const maxHeaderBytes = 67_108_864;

interface Size extends Pick<CodestreamHeader, "image" | "tiles" | "columns" | "rows"> {
  readonly capabilities: number;
  readonly components: readonly Component[];
}

class HeaderRead {
  #size: Size | undefined;
  #parameters: ParametersRead | undefined;
  #kept = 0;
  readonly #indexed = new Map<number, { index: number; bytes: Uint8Array }[]>();

  take(marker: number, body: Uint8Array): void {
    if (marker === markers.size) {
      if (this.#size !== undefined) damaged("one SIZ");
      this.#size = readSize(new Fields("SIZ", body));
      this.#parameters = new ParametersRead(this.#size.components.length);
      return;
    }
    const parameters = this.#parameters ?? damaged("SIZ before any other marker");
    if (parameters.take(marker, body)) return;
    if (
      marker === markers.tilePartLengths ||
      marker === markers.packetLengthsMain ||
      marker === markers.packedHeadersMain
    )
      this.#keep(marker, new Fields("an indexed segment", body));
  }

  #keep(marker: number, fields: Fields): void {
    const index = fields.byte();
    const bytes = fields.bytes(fields.left).slice();
    this.#kept += bytes.length;
    const segments = this.#indexed.get(marker);
    if (segments === undefined) this.#indexed.set(marker, [{ index, bytes }]);
    else if (segments.push({ index, bytes }) > maxSegments)
      damaged(`at most ${maxSegments} of ${markerName(marker)}`);
  }

  #inOrder(marker: number): readonly Uint8Array[] {
    const segments = this.#indexed.get(marker) ?? [];
    return segments.sort((one, other) => one.index - other.index).map(({ bytes }) => bytes);
  }

  finish(place: CodestreamPlace, end: number): MainHeader {
    const parameters = this.#parameters ?? damaged("SIZ");
    const size = this.#size ?? damaged("SIZ");
    const coding = parameters.coding ?? damaged("COD");
    const codings = size.components.map(
      (_, component) => ofComponent(parameters, parameters, component).coding,
    );
    const header = headerOf(size, coding, codings);
    checkExtent(header, codings, place.length);
    return {
      header,
      place,
      bytes: 4_096 + this.#kept + size.components.length * 64,
      parameters: Object.assign(parameters, { coding }),
      end,
      tilePartLengths: this.#inOrder(markers.tilePartLengths),
      packetLengths: pieces(this.#inOrder(markers.packetLengthsMain), 1),
      packedHeaders: pieces(this.#inOrder(markers.packedHeadersMain), 4),
    };
  }
}

/**
 * Pieces, each preceded by its length in so many bytes; a piece may continue in the next segment.
 */
const pieces = (segments: readonly Uint8Array[], lengthBytes: number): Uint8Array[] => {
  const fields = new Fields("packed headers", Buffer.concat(segments));
  const all: Uint8Array[] = [];
  while (fields.left >= lengthBytes && all.length < maxPieces) {
    const length = fields.number(lengthBytes);
    all.push(fields.bytes(Math.min(length, fields.left)));
  }
  return all;
};

/** Maximum number: that of an image with four parts of each tile. */
const maxPieces = 2 ** 18;
/** Their indexes have eight bits. */
const maxSegments = 256;

const headerOf = (
  size: Size,
  { layers, progression, transformed, coding }: CodingDefault,
  codings: readonly Coding[],
): CodestreamHeader => {
  const precinct = coding.precincts.at(-1);
  return {
    ...size,
    levels: codings.reduce((min, { levels }) => Math.min(min, levels), 32),
    layers,
    progression,
    reversible: codings.every(({ reversible }) => reversible),
    transformed,
    ht: codings.some(({ style }) => (style & styles.ht) !== 0),
    precinct: { width: 2 ** (precinct?.width ?? 15), height: 2 ** (precinct?.height ?? 15) },
    block: { width: 2 ** coding.blockWidth, height: 2 ** coding.blockHeight },
  };
};

/** SIZ (A.5.1). */
const readSize = (fields: Fields): Size => {
  const capabilities = fields.short();
  const [right, bottom, x, y] = [fields.long(), fields.long(), fields.long(), fields.long()];
  const [width, height, left, top] = [fields.long(), fields.long(), fields.long(), fields.long()];
  const count = fields.short();
  if (right <= x || bottom <= y) damaged("an image of at least one pixel");
  if (left > x || top > y || left + width <= x || top + height <= y)
    damaged("a first tile that contains the image's first pixel");
  const columns = Math.ceil((right - left) / width);
  const rows = Math.ceil((bottom - top) / height);
  if (columns * rows > maxTiles) damaged(`at most ${maxTiles} tiles and not ${columns * rows}`);
  if (count === 0 || count > maxComponents) damaged(`1 to ${maxComponents} components`);
  const components = Array.from({ length: count }, () => {
    const depth = fields.byte();
    const [dx, dy] = [fields.byte(), fields.byte()];
    if (dx === 0 || dy === 0) damaged("sampling steps of 1 or more");
    return { precision: (depth & 127) + 1, signed: depth > 127, dx, dy };
  });
  if (components.some(({ precision }) => precision > 38)) damaged("samples of at most 38 bits");
  return {
    capabilities,
    image: { x, y, width: right - x, height: bottom - y },
    tiles: { x: left, y: top, width, height },
    columns,
    rows,
    components,
  };
};

/** Isot has 16 bits, and its maximum is reserved (A.4.2). */
const maxTiles = 65_535;
const maxComponents = 16_384;
