import type { RequestContext } from "../core/context.ts";
import { fail, UnknownFormat } from "../core/errors.ts";
import type { FormatName } from "../core/formats.ts";
import type { ImageInfo } from "../core/info.ts";
import { type RangeReader, useReader } from "../core/range-reader.ts";
import type { SourceObject } from "../core/source.ts";
import type { Codec, Sniff } from "../formats/shared/index.ts";
import type { Caching } from "./known.ts";
import type { Quarantine } from "./quarantine.ts";

/** The dependencies of reading infos from stored objects. */
export interface LearningDeps {
  readonly sniff: Sniff;
  readonly codec: (format: FormatName) => Promise<Codec>;
  /** Refuses images that crash decoders; absent: none are refused. */
  readonly quarantine?: Pick<Quarantine, "check" | "watch">;
}

/** How much of an image's info is required: all of it, or an outline. */
export type Extent = "whole" | "outline";

/** How an info is requested. */
export interface InfoRequest {
  readonly caching: Caching;
  readonly extent: Extent;
}

interface Learner extends Pick<RequestContext, "identifier" | "signal"> {
  readonly extent: Extent;
}

/**
 * Reads the info from a stored object; throws `unreadable` where it is not an image, and `busy`
 * where it is quarantined.
 */
export const learnedOf = (
  object: SourceObject,
  learner: Learner,
  deps: LearningDeps,
): Promise<ImageInfo> => {
  const { quarantine } = deps;
  const read = (): Promise<ImageInfo> => readInfo(object, learner, deps);
  if (quarantine === undefined) return read();
  const picture = { identifier: learner.identifier, version: object.version };
  quarantine.check(picture);
  // A file with sound headers may still crash the decoder of its pixels.
  return quarantine.watch(picture, learner.signal, read, { clears: false });
};

const readInfo = async (
  object: SourceObject,
  learner: Learner,
  deps: LearningDeps,
): Promise<ImageInfo> =>
  useReader(await object.open(learner.signal), (reader) => inspected(reader, learner, deps));

const inspected = async (
  reader: RangeReader,
  { identifier, signal, extent }: Learner,
  { sniff, codec }: LearningDeps,
): Promise<ImageInfo> => {
  const format = await sniff(reader, signal);
  const unread = `The file of '${identifier}' is in no format that this server reads.`;
  if (format === undefined) throw new UnknownFormat(unread);
  const { decoder } = await codec(format);
  if (decoder === undefined) return fail("unreadable", unread);
  return extent === "outline" && reader.isFar && decoder.outline
    ? decoder.outline(reader, signal)
    : decoder.info(reader, signal);
};
