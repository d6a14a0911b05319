import { numbers } from "../../jp2.ts";

/** A JPEG 2000 codestream by fields of its main header (ISO/IEC 15444-1, annex A). */
export interface CodestreamForm {
  readonly width: number;
  readonly height: number;
  /** The image where absent. */
  readonly tile?: { readonly width: number; readonly height: number };
  /** 1 where absent. */
  readonly components?: number;
  /** Of a sample; 8 where absent. */
  readonly bits?: number;
  /** Sampling steps of every component; 1 where absent. */
  readonly step?: number;
  /** Decomposition levels; 0 where absent. */
  readonly levels?: number;
  readonly layers?: number;
  /** 0 to 4: LRCP, RLCP, RPCL, PCRL, CPRL. */
  readonly progression?: number;
  /** Exponents of the sides of code-blocks; 64 x 64 where absent. */
  readonly block?: readonly [number, number];
  /**
   * Exponents of the sides of precincts, one for each resolution, lowest first; none where absent.
   */
  readonly precincts?: readonly number[];
  /** Exponent of every quantizer step; 8 where absent. */
  readonly exponent?: number;
  /** Further segments of the main header. */
  readonly segments?: readonly Uint8Array[];
}

/** A marker segment: the marker, its length, and its content. */
export const segment = (marker: number, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  return Buffer.concat([numbers(2, marker, content.length + 2), content]);
};

/** One tile-part: its number among those of the tile, segments of its header, and its packets. */
export interface PartForm {
  readonly tile: number;
  readonly part?: number;
  /** The stated number of the tile's parts; 1 where absent, 0 where unstated. */
  readonly parts?: number;
  readonly segments?: readonly Uint8Array[];
  readonly packets: Uint8Array;
}

const startOfData = numbers(2, 0xff93);

export const tilePart = (form: PartForm): Buffer => {
  const { tile, part = 0, parts = 1, segments = [], packets } = form;
  const rest = Buffer.concat([...segments, startOfData, packets]);
  const start = segment(
    0xff90,
    numbers(2, tile),
    numbers(4, rest.length + 12),
    numbers(1, part, parts),
  );
  return Buffer.concat([start, rest]);
};

/** A bare codestream of a header and tile-parts. */
export const codestream = (form: CodestreamForm, parts: readonly Uint8Array[]): Buffer =>
  Buffer.concat([mainHeader(form), ...parts, numbers(2, 0xffd9)]);

const mainHeader = (form: CodestreamForm): Buffer => {
  const { width, height, tile = form, components = 1, bits = 8, step = 1 } = form;
  const { levels = 0, layers = 1, progression = 0, block = [6, 6], precincts } = form;
  const { exponent = 8, segments = [] } = form;
  const component = numbers(1, bits - 1, step, step);
  const size = segment(
    0xff51,
    numbers(2, 0),
    numbers(4, width, height, 0, 0, tile.width, tile.height, 0, 0),
    numbers(2, components),
    Buffer.alloc(components * component.length, component),
  );
  const coding = segment(
    0xff52,
    numbers(1, precincts === undefined ? 0 : 1, progression),
    numbers(2, layers),
    numbers(1, 0, levels, block[0] - 2, block[1] - 2, 0, 1),
    numbers(1, ...(precincts ?? []).map((side) => (side << 4) | side)),
  );
  const guardBits = 7;
  const quantization = segment(
    0xff5c,
    numbers(1, guardBits << 5, ...Array<number>(3 * levels + 1).fill(exponent << 3)),
  );
  return Buffer.concat([numbers(2, 0xff4f), size, coding, quantization, ...segments]);
};

/** So many empty packets. */
export const emptyPackets = (count: number): Buffer => Buffer.alloc(count);

/** The packet data of a code-block that is alone in its precinct. */
export interface BlockForm {
  /** Coding passes, 37 to 164. */
  readonly passes: number;
  /** At most 1,023 bytes. */
  readonly data: Uint8Array;
}

/**
 * A packet of code-blocks, each the only one of its band in a precinct, without zero bit planes
 * (B.10).
 */
export const packetOf = (blocks: readonly BlockForm[]): Buffer => {
  const header = new HeaderWriter();
  header.bits(1, 1);
  for (const { passes, data } of blocks) {
    // Included in the first layer; no plane is zero.
    header.bits(0b11, 2);
    header.bits(0b1_1111_1111, 9);
    header.bits(passes - 37, 7);
    header.bits(0, 1);
    header.bits(data.length, 3 + Math.floor(Math.log2(passes)));
  }
  return Buffer.concat([header.bytes(), ...blocks.map(({ data }) => data)]);
};

/** Bits of a packet header: after a byte of ones, the next has seven (B.10.1). */
class HeaderWriter {
  readonly #bytes: number[] = [];
  #byte = 0;
  #left = 8;

  bits(value: number, count: number): void {
    for (let bit = count - 1; bit >= 0; bit--) {
      this.#byte = (this.#byte << 1) | ((value >> bit) & 1);
      if (--this.#left === 0) this.#flush();
    }
  }

  bytes(): Buffer {
    if (this.#left < 8 || this.#bytes.at(-1) === 0xff) {
      this.#byte <<= this.#left;
      this.#flush();
    }
    return Buffer.from(this.#bytes);
  }

  #flush(): void {
    this.#bytes.push(this.#byte);
    this.#left = this.#byte === 0xff ? 7 : 8;
    this.#byte = 0;
  }
}
