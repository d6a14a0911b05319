import { derivativePrefix, infoPrefix, prefixesOf } from "./names.ts";

/**
 * What is purged: everything of one image, all images, all infos, or both. `memory` stands for more
 * purges than are listed: all memory is cleared.
 */
export type PurgeScope = { readonly image: string } | "images" | "infos" | "all" | "memory";

/** A purge, as announced to all servers that share a cache. */
export interface Purge {
  readonly id: string;
  readonly scope: PurgeScope;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  /** When its removal finished, in milliseconds since 1970; absent until then. */
  readonly doneAt?: number;
}

/** The name prefixes of the entries that a purge removes. */
export const prefixesIn = (scope: PurgeScope): readonly string[] => {
  if (typeof scope === "object") return prefixesOf(scope.image);
  return {
    images: [derivativePrefix],
    infos: [infoPrefix],
    all: [derivativePrefix, infoPrefix],
    memory: [],
  }[scope];
};

/**
 * Entries stored within so many milliseconds after a purge began may have been rendered before it,
 * by a server that did not know of it yet or whose clock is ahead.
 */
const graceMs = 5_000;

/**
 * Whether one of some purges covers an entry, by its name and time of storing: it is gone then,
 * removed yet or not.
 */
export const purgedBy = (purges: readonly Purge[]): ((name: string, storedAt: Date) => boolean) => {
  const latest = new Map<string, number>();
  for (const { scope, at } of purges)
    for (const prefix of prefixesIn(scope))
      latest.set(prefix, Math.max(at, latest.get(prefix) ?? at));
  if (latest.size === 0) return () => false;
  return (name, storedAt) => {
    const stored = storedAt.getTime() - graceMs;
    return [
      name,
      name.slice(0, name.lastIndexOf("/") + 1),
      name.slice(0, name.indexOf("/") + 1),
    ].some((prefix) => stored <= (latest.get(prefix) ?? Number.NEGATIVE_INFINITY));
  };
};

/** Incremented with the layout; other layouts are ignored. */
const schema = 1;

/** Purges as JSON text in UTF-8. */
export const writePurges = (purges: readonly Purge[]): Uint8Array =>
  new TextEncoder().encode(JSON.stringify({ schema, purges }));

/** The decoded purges; undefined where they are invalid. */
export const readPurges = (bytes: Uint8Array): readonly Purge[] | undefined => {
  try {
    const read: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return isRecord(read) ? read.purges : undefined;
  } catch {
    return undefined;
  }
};

const isRecord = (value: unknown): value is { readonly purges: readonly Purge[] } =>
  typeof value === "object" &&
  value !== null &&
  "schema" in value &&
  value.schema === schema &&
  "purges" in value &&
  Array.isArray(value.purges) &&
  value.purges.every(isPurge);

const isPurge = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null) return false;
  const { id, scope, at, doneAt = 0 } = value as Partial<Purge>;
  const isScope =
    typeof scope === "object" && scope !== null
      ? typeof scope.image === "string"
      : ["images", "infos", "all", "memory"].includes(scope ?? "");
  return typeof id === "string" && isScope && typeof at === "number" && typeof doneAt === "number";
};
