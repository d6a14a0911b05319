import { box, numbers } from "../jp2.ts";
import type { Coded } from "./coded.ts";
import type { Place } from "./file.ts";

/** A track of independently decodable images (ISO/IEC 23008-12, 7). */
export interface HeifTrack {
  readonly id: number;
  readonly handler: "pict" | "vide" | "auxv";
  /** All of one kind and size. */
  readonly frames: readonly Coded[];
  /** References to other tracks: `auxl`, `thmb`, `prem`. */
  readonly references?: readonly { readonly type: string; readonly to: readonly number[] }[];
  /** The purpose of these auxiliary images: a URN. */
  readonly auxiliary?: string;
}

const timescale = 10;

/** The box `moov` of tracks, whose frames are at consecutive positions. */
export const movieOf = (tracks: readonly HeifTrack[], places: readonly Place[]): Buffer => {
  let from = 0;
  const boxes = tracks.map((track) => {
    const own = places.slice(from, from + track.frames.length);
    from += track.frames.length;
    return trackOf(track, own);
  });
  const longest = Math.max(...tracks.map(({ frames }) => frames.length));
  const next = 1 + Math.max(...tracks.map(({ id }) => id));
  const header = box(
    "mvhd",
    numbers(4, 0, 0, 0, timescale, longest, 0x10000, 0x01000000, 0, 0, ...upright),
    numbers(4, 0, 0, 0, 0, 0, 0, next),
  );
  return box("moov", header, ...boxes);
};

/** The identity display matrix. */
const upright = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];

const trackOf = (track: HeifTrack, places: readonly Place[]): Buffer => {
  const { id, handler, frames, references = [] } = track;
  const [{ width, height } = { width: 0, height: 0 }] = frames;
  const referring = references.map(({ type, to }) => box(type, numbers(4, ...to)));
  return box(
    "trak",
    box(
      "tkhd",
      numbers(4, 7, 0, 0, id, 0, frames.length, 0, 0, 0, 0, ...upright),
      numbers(4, width * 0x10000, height * 0x10000),
    ),
    ...(referring.length > 0 ? [box("tref", ...referring)] : []),
    box(
      "mdia",
      box("mdhd", numbers(4, 0, 0, 0, timescale, frames.length, 0x55c40000)),
      box("hdlr", numbers(4, 0, 0), Buffer.from(handler), numbers(4, 0, 0, 0), numbers(1, 0)),
      box(
        "minf",
        box("vmhd", numbers(4, 1, 0, 0)),
        box("dinf", box("dref", numbers(4, 0, 1), box("url ", numbers(4, 1)))),
        samplesOf(track, places),
      ),
    ),
  );
};

const samplesOf = ({ frames, auxiliary }: HeifTrack, places: readonly Place[]): Buffer => {
  const [first] = frames;
  if (first === undefined) throw new Error("Expected a track with frames");
  const configuration = box(first.type === "av01" ? "av1C" : "hvcC", first.configuration);
  const entry = box(
    first.type,
    numbers(4, 0),
    numbers(2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, first.width, first.height),
    numbers(4, 0x480000, 0x480000, 0),
    numbers(2, 1),
    Buffer.alloc(32),
    numbers(2, 0x18, 0xffff),
    configuration,
    box("ccst", numbers(4, 0, 0x80000000)),
    ...(auxiliary === undefined
      ? []
      : [box("auxi", numbers(4, 0), Buffer.from(`${auxiliary}\0`, "latin1"))]),
  );
  return box(
    "stbl",
    box("stsd", numbers(4, 0, 1), entry),
    box("stts", numbers(4, 0, 1, frames.length, 1)),
    box("stsc", numbers(4, 0, 1, 1, 1, 1)),
    box("stsz", numbers(4, 0, 0, frames.length, ...places.map(({ length }) => length))),
    box("stco", numbers(4, 0, frames.length, ...places.map(({ offset }) => offset))),
  );
};
