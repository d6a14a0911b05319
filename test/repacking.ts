/** A tile-part, split into packets. */
interface Part {
  readonly tile: number;
  /** The marker segments of its header, without SOT and SOD. */
  readonly segments: Buffer;
  readonly packets: readonly Packet[];
}

interface Packet {
  /** With EPH, without SOP. */
  readonly header: Buffer;
  readonly body: Buffer;
}

/** A codestream split into its parts. */
export interface Pieces {
  /** From SOC to before the first SOT. */
  readonly main: Buffer;
  readonly parts: readonly Part[];
}

/**
 * Splits a codestream whose packets all have SOP and EPH (ISO/IEC 15444-1, A.8), so that they can
 * be located.
 */
export const takenToPieces = (bytes: Uint8Array): Pieces => {
  const data = Buffer.from(bytes);
  const first = data.indexOf("ff90000a", "hex");
  const parts: Part[] = [];
  for (let at = first; data.readUInt16BE(at) === 0xff90; ) {
    const end = at + data.readUInt32BE(at + 6);
    const start = data.indexOf("ff93", at, "hex");
    parts.push({
      tile: data.readUInt16BE(at + 4),
      segments: data.subarray(at + 12, start),
      packets: packetsIn(data.subarray(start + 2, end)),
    });
    at = end;
  }
  return { main: data.subarray(0, first), parts };
};

const packetsIn = (data: Buffer): Packet[] => {
  const packets: Packet[] = [];
  for (let at = 0; at < data.length; ) {
    const headerEnd = data.indexOf("ff92", at, "hex") + 2;
    const next = data.indexOf("ff910004", headerEnd, "hex");
    const end = next < 0 ? data.length : next;
    packets.push({ header: data.subarray(at + 6, headerEnd), body: data.subarray(headerEnd, end) });
    at = end;
  }
  return packets;
};

/** How a codestream is reassembled. */
export interface Repacking {
  /**
   * The place of packet headers: before each packet's body, in the headers of tile-parts (PPT) or
   * in the main one (PPM).
   */
  readonly headers?: "packets" | "PPT" | "PPM";
  /** Where the lengths of packets are listed. */
  readonly lengths?: "PLT" | "PLM";
  /**
   * How TLM lists tile-parts: with numbers of tiles of so many bytes; "wrong" for one that is a
   * byte off.
   */
  readonly list?: 0 | 1 | 2 | "wrong";
  /** Number of parts per tile; all first parts come first. */
  readonly parts?: number;
  /** Whether the last part omits its length. */
  readonly open?: boolean;
}

/** Reassembles the parts in an equivalent form. */
export const repacked = (pieces: Pieces, repacking: Repacking): Uint8Array => {
  const parts = cut(pieces.parts, repacking.parts ?? 1);
  const encoded = parts.map((part, number) => partOf(part, number, parts.length, repacking));
  const segments: Buffer[] = [];
  if (repacking.list !== undefined) segments.push(listOf(parts, encoded, repacking.list));
  if (repacking.headers === "PPM") segments.push(...packedInMain(parts));
  if (repacking.lengths === "PLM") segments.push(lengthsInMain(parts));
  return new Uint8Array(
    Buffer.concat([pieces.main, ...segments, ...encoded, Buffer.from("ffd9", "hex")]),
  );
};

const cut = (parts: readonly Part[], count: number): Part[] =>
  Array.from({ length: count }, (_, number) =>
    parts.map(({ tile, segments, packets }) => {
      const share = Math.ceil(packets.length / count);
      return {
        tile,
        segments: number === 0 ? segments : Buffer.alloc(0),
        packets: packets.slice(number * share, (number + 1) * share),
      };
    }),
  ).flat();

const partOf = (
  { tile, segments, packets }: Part,
  number: number,
  count: number,
  { headers = "packets", lengths, open = false }: Repacking,
): Buffer => {
  const own = [segments];
  if (headers === "PPT")
    own.push(...packed(0xff61, Buffer.concat(packets.map(({ header }) => header))));
  if (lengths === "PLT")
    own.push(segmentOf(0xff58, Buffer.concat([Buffer.of(0), ...numbers(packets)])));
  const data = packets.flatMap(({ header, body }) =>
    headers === "packets" ? [header, body] : [body],
  );
  const rest = Buffer.concat([...own, Buffer.from("ff93", "hex"), ...data]);
  const sot = Buffer.alloc(12);
  sot.writeUInt32BE(0xff90000a);
  sot.writeUInt16BE(tile, 4);
  sot.writeUInt32BE(open && number === count - 1 ? 0 : rest.length + 12, 6);
  return Buffer.concat([sot, rest]);
};

const segmentOf = (marker: number, body: Buffer): Buffer => {
  const head = Buffer.alloc(4);
  head.writeUInt16BE(marker);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
};

/** In two segments, the second of which comes first. */
const packed = (marker: number, headers: Buffer): Buffer[] => {
  const middle = headers.length >> 1;
  return [
    segmentOf(marker, Buffer.concat([Buffer.of(1), headers.subarray(middle)])),
    segmentOf(marker, Buffer.concat([Buffer.of(0), headers.subarray(0, middle)])),
  ];
};

const packedInMain = (parts: readonly Part[]): Buffer[] =>
  packed(
    0xff60,
    Buffer.concat(
      parts.map(({ packets }) => {
        const headers = Buffer.concat(packets.map(({ header }) => header));
        const length = Buffer.alloc(4);
        length.writeUInt32BE(headers.length);
        return Buffer.concat([length, headers]);
      }),
    ),
  );

const lengthsInMain = (parts: readonly Part[]): Buffer =>
  segmentOf(
    0xff57,
    Buffer.concat([
      Buffer.of(0),
      ...parts.map(({ packets }) => {
        const all = Buffer.concat(numbers(packets));
        return Buffer.concat([Buffer.of(all.length), all]);
      }),
    ]),
  );

/** Lengths of packets in groups of seven bits, of which all but the last have the eighth bit. */
const numbers = (packets: readonly Packet[]): Buffer[] =>
  packets.map(({ header, body }) => {
    const length = header.length + body.length;
    const groups = [length & 127];
    for (let rest = length >> 7; rest > 0; rest >>= 7) groups.unshift((rest & 127) | 128);
    return Buffer.from(groups);
  });

const listOf = (
  parts: readonly Part[],
  encoded: readonly Buffer[],
  list: 0 | 1 | 2 | "wrong",
): Buffer => {
  const bytes = list === "wrong" ? 1 : list;
  const entries = parts.map(({ tile }, number) => {
    const entry = Buffer.alloc(bytes + 4);
    if (bytes > 0) entry.writeUIntBE(tile, 0, bytes);
    const length = encoded[number]?.length ?? 0;
    entry.writeUInt32BE(list === "wrong" ? length + 1 : length, bytes);
    return entry;
  });
  return segmentOf(0xff55, Buffer.concat([Buffer.of(0, (bytes << 4) | 64), ...entries]));
};
