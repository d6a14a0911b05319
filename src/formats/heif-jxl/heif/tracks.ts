import type { Box, ByteWindow } from "../../containers/index.ts";
import { boxAt, childrenOf, contentsOf, fullBox } from "./children.ts";

/** The tracks of a file's image sequence (ISO/IEC 23008-12, 7). */
export interface SequenceTracks {
  readonly main: TrackOfFrames;
  /** Offset of the first frame's data in the file. */
  readonly firstAt: number;
  /** The track of auxiliary images with the opacity of each frame. */
  readonly opacity?: TrackOfFrames & {
    /** Set where colours are premultiplied. */
    readonly premultiplied: boolean;
  };
}

/** A track with frames. */
export interface TrackOfFrames {
  /** In its header, `tkhd`. */
  readonly id: number;
  /** Number of frames. */
  readonly frames: number;
}

interface Track extends TrackOfFrames {
  readonly handler: string;
  readonly firstAt: number;
  /** IDs of other tracks by the type of the reference, as in `auxl`. */
  readonly references: ReadonlyMap<string, readonly number[]>;
  /** URN of the auxiliary images' purpose; absent where unknown. */
  readonly auxiliary: string | undefined;
}

/** Maximum number of tracks examined. */
const maxTracks = 16;

/**
 * Finds the sequence in the box `moov`; undefined where there is none. Throws `unreadable` where
 * boxes are corrupt.
 */
export const tracksIn = async (
  window: ByteWindow,
  movie: Box,
): Promise<SequenceTracks | undefined> => {
  const boxes = (await childrenOf(window, movie)).filter(({ type }) => type === "trak");
  const tracks: Track[] = [];
  for (const box of boxes.slice(0, maxTracks)) {
    const track = await trackIn(window, box);
    if (track !== undefined && track.frames > 0) tracks.push(track);
  }
  const main = tracks.find(isMain);
  if (main === undefined) return undefined;
  const { id, frames, firstAt } = main;
  const opacity = tracks.find((track) => isOpacityOf(track, id));
  const premultiplied =
    opacity !== undefined && main.references.get("prem")?.includes(opacity.id) === true;
  return {
    main: { id, frames },
    firstAt,
    ...(opacity && { opacity: { id: opacity.id, frames: opacity.frames, premultiplied } }),
  };
};

/** Handler types of image tracks: image sequences and videos. */
const pictures: ReadonlySet<string> = new Set(["pict", "vide"]);

const isMain = ({ handler, references }: Track): boolean =>
  pictures.has(handler) && !references.has("auxl") && !references.has("thmb");

/** The URNs of opacity in AVIF and newer HEIC files, and in older ones. */
const opacityUrns: ReadonlySet<string> = new Set([
  "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha",
  "urn:mpeg:hevc:2015:auxid:1",
]);

const isOpacityOf = ({ references, auxiliary }: Track, id: number): boolean =>
  references.get("auxl")?.includes(id) === true &&
  (auxiliary === undefined || opacityUrns.has(auxiliary));

const trackIn = async (window: ByteWindow, box: Box): Promise<Track | undefined> => {
  const header = await boxAt(window, box, "tkhd");
  const handler = await boxAt(window, box, "mdia", "hdlr");
  const samples = await boxAt(window, box, "mdia", "minf", "stbl");
  if (header === undefined || handler === undefined || samples === undefined) return undefined;
  const references = await boxAt(window, box, "tref");
  return {
    id: await trackId(window, header),
    handler: (await contentsOf(window, handler, { min: 12, max: 12 })).toString("latin1", 8),
    frames: await framesIn(window, samples),
    firstAt: await firstIn(window, samples),
    references: references === undefined ? new Map() : await referencesIn(window, references),
    auxiliary: await auxiliaryIn(window, samples),
  };
};

/** Version 1 has longer times before it (ISO/IEC 14496-12, 8.3.2). */
const trackId = async (window: ByteWindow, header: Box): Promise<number> => {
  const bytes = await contentsOf(window, header, { min: 24, max: 24 });
  return bytes.readUInt32BE(bytes[0] === 1 ? 20 : 12);
};

/** Both kinds of size tables have their count at the same offset (8.7.3). */
const framesIn = async (window: ByteWindow, samples: Box): Promise<number> => {
  const sizes = (await boxAt(window, samples, "stsz")) ?? (await boxAt(window, samples, "stz2"));
  if (sizes === undefined) return 0;
  return (await contentsOf(window, sizes, { min: 12, max: 12 })).readUInt32BE(8);
};

/** The offset of the first chunk (8.7.5); -1 where there is none. */
const firstIn = async (window: ByteWindow, samples: Box): Promise<number> => {
  const short = await boxAt(window, samples, "stco");
  const chunks = short ?? (await boxAt(window, samples, "co64"));
  const first = short === undefined ? 16 : 12;
  if (chunks === undefined || chunks.length < first) return -1;
  const bytes = await contentsOf(window, chunks, { min: first, max: first });
  return short === undefined ? Number(bytes.readBigUInt64BE(8)) : bytes.readUInt32BE(8);
};

/** Maximum number of references of one kind examined. */
const maxReferences = 64;

const referencesIn = async (
  window: ByteWindow,
  box: Box,
): Promise<ReadonlyMap<string, readonly number[]>> => {
  const references = new Map<string, readonly number[]>();
  for (const reference of await childrenOf(window, box)) {
    const bytes = await contentsOf(window, reference, { max: maxReferences * 4 });
    const ids = Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) =>
      bytes.readUInt32BE(at * 4),
    );
    references.set(reference.type, ids);
  }
  return references;
};

/** Length of the fields of a sample entry before its boxes (ISO/IEC 14496-12, 12.1.3). */
const sampleEntry = 78;

/** Maximum length of a relevant URN. */
const longestUrn = 256;

/** The box `auxi` of the first sample entry (ISO/IEC 23008-12, 7.5.3). */
const auxiliaryIn = async (window: ByteWindow, samples: Box): Promise<string | undefined> => {
  const descriptions = await boxAt(window, samples, "stsd");
  if (descriptions === undefined) return undefined;
  const [entry] = await childrenOf(window, descriptions, fullBox + 4);
  if (entry === undefined) return undefined;
  const told = (await childrenOf(window, entry, sampleEntry)).find(({ type }) => type === "auxi");
  if (told === undefined) return undefined;
  const bytes = await contentsOf(window, told, { max: longestUrn });
  return bytes.toString("latin1", fullBox).split("\0", 1)[0];
};
