/** One marker segment of a JPEG: from its marker's first byte to the byte after its last. */
export interface Segment {
  /** The marker's second byte. */
  readonly marker: number;
  readonly at: number;
  readonly end: number;
}

/** Second bytes of JPEG markers (ITU-T T.81, table B.1). */
export const markers = {
  startOfImage: 0xd8,
  endOfImage: 0xd9,
  startOfScan: 0xda,
  quantisation: 0xdb,
  huffman: 0xc4,
  restartInterval: 0xdd,
  app0: 0xe0,
  app1: 0xe1,
  app2: 0xe2,
  app13: 0xed,
  app14: 0xee,
  comment: 0xfe,
} as const;

/**
 * The segments between the start of a JPEG and its first scan or its end; undefined where it is not
 * a JPEG.
 */
export const headSegments = (bytes: Uint8Array): Segment[] | undefined => {
  if (bytes[0] !== 0xff || bytes[1] !== markers.startOfImage) return undefined;
  const segments: Segment[] = [];
  for (let at = 2; ; ) {
    const segment = segmentAt(bytes, at);
    if (segment === undefined) return undefined;
    if (segment.marker === markers.endOfImage) return segments;
    segments.push(segment);
    if (segment.marker === markers.startOfScan) return segments;
    at = segment.end;
  }
};

const segmentAt = (bytes: Uint8Array, from: number): Segment | undefined => {
  let at = from;
  // Any number of fill bytes may precede a marker.
  while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at++;
  const marker = bytes[at + 1];
  if (bytes[at] !== 0xff || marker === undefined) return undefined;
  if (marker === markers.endOfImage) return { marker, at, end: at + 2 };
  const length = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
  const end = at + 2 + length;
  return length < 2 || end > bytes.length ? undefined : { marker, at, end };
};

/** The fields of a frame header (ITU-T T.81, B.2.2). */
export interface Frame {
  readonly precision: number;
  readonly width: number;
  readonly height: number;
  readonly components: readonly FrameComponent[];
}

/** A component of a frame (ITU-T T.81, B.2.2). */
export interface FrameComponent {
  readonly id: number;
  /** Sampling factors. */
  readonly h: number;
  readonly v: number;
  /** The number of its quantisation table. */
  readonly table: number;
}

/** Markers in the range of frame markers (ITU-T T.81, table B.1) that are not frames. */
const noFrames: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);

/** Whether a marker begins a frame header, of any process. */
export const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && !noFrames.has(marker);

/**
 * The frame of a JPEG in Huffman coding, baseline, extended or progressive; undefined for any
 * other.
 */
export const frameOf = (bytes: Uint8Array, segments: readonly Segment[]): Frame | undefined => {
  const segment = segments.find(({ marker }) => marker >= 0xc0 && marker <= 0xc2);
  if (segment === undefined || segment.end - segment.at < 10) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset + segment.at, segment.end - segment.at);
  const count = view.getUint8(9);
  if (view.byteLength < 10 + count * 3) return undefined;
  return {
    precision: view.getUint8(4),
    height: view.getUint16(5),
    width: view.getUint16(7),
    components: Array.from({ length: count }, (_, index) => {
      const at = 10 + index * 3;
      const sampling = view.getUint8(at + 1);
      const [id, table] = [view.getUint8(at), view.getUint8(at + 2)];
      return { id, h: sampling >> 4, v: sampling & 15, table };
    }),
  };
};

/** Whether a marker's segment has no effect on decoding the pixels. */
export const isApplication = (marker: number): boolean =>
  (marker >= markers.app0 && marker <= 0xef) || marker === markers.comment;

/** JFIF 1.1, square pixels: three components are YCbCr. */
export const jfif = Uint8Array.of(
  ...[0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0],
);

/** Adobe's marker with transform 0: three components are RGB. */
export const adobeRgb = Uint8Array.of(
  ...[0xff, 0xee, 0, 14, 0x41, 0x64, 0x6f, 0x62, 0x65, 0, 100, 0, 0, 0, 0, 0],
);

const profileMark = Buffer.from("ICC_PROFILE\0", "latin1");
/**
 * Maximum length of a profile in one segment, whose length has to fit into 16 bits (ICC.1:2010,
 * B.4).
 */
const longestPart = 65_535 - 2 - profileMark.length - 2;
const maxParts = 255;

/** An ICC profile as APP2 segments; undefined where it is too long for them. */
export const profileSegments = (profile: Uint8Array): Uint8Array | undefined => {
  const count = Math.ceil(profile.length / longestPart);
  if (count > maxParts) return undefined;
  const parts = Array.from({ length: count }, (_, index) => {
    const part = profile.subarray(index * longestPart, (index + 1) * longestPart);
    const length = 2 + profileMark.length + 2 + part.length;
    return [
      Uint8Array.of(0xff, markers.app2, length >> 8, length & 255),
      profileMark,
      Uint8Array.of(index + 1, count),
      part,
    ];
  });
  return Buffer.concat(parts.flat());
};

/**
 * A JPEG with an ICC profile inserted after its first segment, if that is JFIF's, else before it.
 */
export const withProfile = (jpeg: Uint8Array, profile: Uint8Array): Uint8Array | undefined => {
  const segments = profileSegments(profile);
  const first = headSegments(jpeg)?.[0];
  if (segments === undefined || first === undefined) return undefined;
  const at = first.marker === markers.app0 ? first.end : first.at;
  return Buffer.concat([jpeg.subarray(0, at), segments, jpeg.subarray(at)]);
};
