import { pipeline, type Readable, Transform } from "node:stream";
import type { AppDecorators } from "../app/app.ts";
import type { RangeReader } from "../core/range-reader.ts";
import type { Source, SourceObject, Traffic } from "../core/source.ts";
import type { AccessEntry } from "../logging/access.ts";
import type { KnownImage } from "../service/known.ts";
import type { Prepared } from "../service/prepared.ts";

/** The bytes read of source objects. */
export interface RecordedRead {
  /** How often. */
  readonly times: number;
  readonly bytes: number;
  /** Whether a file's path was handed out to be opened; reads of it are then not counted. */
  readonly opened: boolean;
  /** Requests to remote servers for it; absent where the source is local. */
  readonly requested?: Traffic;
}

/** What was observed of the last request. */
export interface ObservedRequest {
  readonly prepared: Prepared | undefined;
  readonly known: KnownImage | undefined;
  readonly access: AccessEntry | undefined;
  readonly reading: RecordedRead;
}

/** Wraps the parts of an app and records what passes through them. */
export interface RequestRecorder extends AppDecorators {
  readonly access: (entry: AccessEntry) => void;
  last(): ObservedRequest;
  /** Clears the record. */
  reset(): void;
  /** From now on, reads complete infos where an outline would suffice for a response. */
  wantAll(): void;
}

const nothing: ObservedRequest = {
  prepared: undefined,
  known: undefined,
  access: undefined,
  reading: { times: 0, bytes: 0, opened: false },
};

export const requestRecorder = (): RequestRecorder => {
  let seen = nothing;
  let requested = (): Traffic | undefined => undefined;
  let before: Traffic | undefined;
  let wantsAll = false;
  const see = (more: Partial<ObservedRequest>): void => {
    seen = { ...seen, ...more };
  };
  const read = (bytes: number): void => {
    const { reading } = seen;
    see({ reading: { ...reading, times: reading.times + 1, bytes: reading.bytes + bytes } });
  };
  const opened = (): void => see({ reading: { ...seen.reading, opened: true } });
  return {
    last: () => {
      const since = difference(requested(), before);
      return since ? { ...seen, reading: { ...seen.reading, requested: since } } : seen;
    },
    reset: () => {
      seen = nothing;
      before = requested();
    },
    wantAll() {
      wantsAll = true;
    },
    access: (access) => see({ access }),
    images: (images) => ({
      ...images,
      know: async (context, caching, sufficient) => {
        const known = await images.know(context, caching, wantsAll ? "whole" : sufficient);
        see({ known });
        return known;
      },
      prepare: async (request, context, caching) => {
        const found = await images.prepare(request, context, caching);
        const isAll = !wantsAll || !found.image.info.isOutline;
        const image = isAll ? found.image : await images.know(context, caching);
        const prepared = { ...found, image };
        see({ prepared });
        return prepared;
      },
      prepareSync: (...asked) => {
        const prepared = images.prepareSync(...asked);
        if (wantsAll && prepared?.image.info.isOutline) return undefined;
        if (prepared) see({ prepared });
        return prepared;
      },
    }),
    source: (source) => {
      requested = () => requestedBy(source);
      return watchedSource(source, { read, opened });
    },
  };
};

/** All requests to the servers of a source so far; undefined where it is local. */
const requestedBy = (source: Source): Traffic | undefined => {
  const all = source.parts?.map((part) => part.source) ?? [source];
  const remote = all.filter(({ origins }) => origins !== undefined);
  if (remote.length === 0) return undefined;
  // Sources that share a server share its counts.
  const states = new Map(
    remote.flatMap(({ origins }) => (origins?.() ?? []).map((one) => [one.origin, one] as const)),
  );
  return {
    requests: [...states.values()].reduce((sum, { requests }) => sum + requests, 0),
    bytes: [...states.values()].reduce((sum, { bytes }) => sum + bytes, 0),
  };
};

const difference = (now: Traffic | undefined, before: Traffic | undefined): Traffic | undefined =>
  now && {
    requests: now.requests - (before?.requests ?? 0),
    bytes: now.bytes - (before?.bytes ?? 0),
  };

const watchedSource = (source: Source, watching: Watching): Source => ({
  ...source,
  find: async (...asked) => watched(await source.find(...asked), watching),
});

interface Watching {
  readonly read: (bytes: number) => void;
  readonly opened: () => void;
}

const watched = (object: SourceObject, watching: Watching): SourceObject => ({
  ...object,
  ...(object.sync
    ? {
        sync: (work) =>
          object.sync?.((read) =>
            work((...part) => {
              const bytes = read(...part);
              if (bytes) watching.read(bytes.length);
              return bytes;
            }),
          ),
      }
    : {}),
  open: async (signal) => watchedReader(await object.open(signal), watching),
});

const counted = (stream: Readable, read: Watching["read"]): Readable => {
  const counting = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      read(chunk.length);
      done(null, chunk);
    },
  });
  // An error on either side ends both, and is reported to the reader.
  return pipeline(stream, counting, () => {});
};

const watchedReader = (reader: RangeReader, { read, opened }: Watching): RangeReader => {
  const { path } = reader;
  const watching: RangeReader = {
    size: reader.size,
    ...(reader.isFar ? { isFar: true } : {}),
    read: async (...asked) => {
      const bytes = await reader.read(...asked);
      read(bytes.length);
      return bytes;
    },
    ...(reader.readMany
      ? {
          readMany: async (ranges, signal) => {
            const parts = (await reader.readMany?.(ranges, signal)) ?? [];
            for (const { length } of parts) read(length);
            return parts;
          },
        }
      : {}),
    ...(reader.prefetch
      ? { prefetch: async (ranges, signal) => reader.prefetch?.(ranges, signal) }
      : {}),
    stream: (signal) => counted(reader.stream(signal), read),
    check: async () => reader.check?.(),
    close: () => reader.close(),
  };
  if (path === undefined) return watching;
  return {
    ...watching,
    get path() {
      opened();
      return path;
    },
  };
};
