import type { Cache } from "../caches/cache.ts";
import { infoName } from "../caches/names.ts";
import { type InfoRecord, readRecord, writeRecord } from "./info-record.ts";

/** Infos in the derivative cache: for other processes and later ones. */
export interface KeptInfos {
  /** A persisted info and its age in milliseconds. */
  get(identifier: string, signal: AbortSignal): Promise<KeptInfo | undefined>;
  put(identifier: string, record: InfoRecord): Promise<void>;
}

export interface KeptInfo {
  readonly record: InfoRecord;
  readonly ageMs: number;
}

/** Infos in a cache; unreadable records, such as those of an older version, are misses. */
export const storedInfos = (cache: Cache): KeptInfos => ({
  async get(identifier, signal) {
    const entry = await cache.get(infoName(identifier), signal);
    const record = entry && readRecord(entry.body);
    // Clocks of servers may differ: an info from the future is new.
    return record && { record, ageMs: Math.max(0, Date.now() - entry.storedAt.getTime()) };
  },
  put: (identifier, record) => cache.put(infoName(identifier), writeRecord(record)),
});
