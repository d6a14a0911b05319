import { type FileOnly, fileOnlyReasons } from "./file-only.ts";
import { defineKeys } from "./keys.ts";
import { type Definitions, definitionOf } from "./layers.ts";
import type { Snapshot } from "./store.ts";

export const lockKeys = defineKeys({
  "endpoint.api.change_file_only_keys": {
    type: "boolean",
    default: false,
    fileOnly: "lock",
    doc: "Whether the API and the control panel may change keys that are otherwise file only: those that name programs, files, listeners, other services and logins. Anyone who can log in there can then run programs and read files on this machine.",
  },
});

/** Why a key cannot be changed through the API and the control panel. */
export interface Lock {
  /** Follows "since". */
  readonly reason: string;
  /** The key that would allow it; absent where none does. */
  readonly allowedBy?: string;
}

/** Why a key cannot be changed through the API and the control panel; undefined where it can. */
export const lockOf = (
  key: string,
  definitions: Definitions,
  values: Snapshot,
): Lock | undefined => {
  // No other key can allow it: all of them come from the files that it selects.
  if (key === "extends") return { reason: fileOnlyReasons.path };
  const definition = definitionOf(definitions, key);
  const kind = definition ? definition.fileOnly : fileOnlyByName(key);
  if (kind === undefined) return undefined;
  const reason = fileOnlyReasons[kind];
  if (kind === "lock") return { reason };
  return values[allowing] === true ? undefined : { reason, allowedBy: allowing };
};

const allowing = "endpoint.api.change_file_only_keys" satisfies keyof typeof lockKeys;

/** Reports that a key is locked, and what to do. */
export const lockMessage = (key: string, { reason, allowedBy }: Lock): string =>
  `${key}: can only be changed in the configuration file, since ${reason}.${allowedBy === undefined ? "" : ` To allow it here, set ${allowedBy} = true in that file.`}`;

/**
 * Why a key that no part of the server defines would be locked, by its name: a later version may
 * define it. Defined keys are tested against this.
 */
export const fileOnlyByName = (key: string): FileOnly | undefined =>
  byName.find(([pattern]) => pattern.test(key))?.[1];

/** A pattern for a whole word of a key's name. */
const word = (words: string): RegExp => new RegExp(`(?:^|[._])(?:${words})(?:[._]|$)`, "i");

const byName: readonly (readonly [RegExp, FileOnly])[] = [
  [/^unsupported_|change_\w+_keys$/, "lock"],
  [word("delegate|scripts?|binaries|programs?|commands?|lookup_strategy"), "program"],
  [word("users?|usernames?|passwords?|passwd|secrets?|tokens?|credentials?|auth"), "credential"],
  [/(?:^|[._])(?:access|account|private|api|secret)_key|[._]key$|key_store/i, "credential"],
  [/show_secrets|stack_trace/, "disclosure"],
  [/^https?\.(?:enabled|host|port)$/, "listener"],
  [word("trusted\\w*|compatibility|base_uri|allow_insecure"), "trust"],
  [word("hosts?|ports?|urls?|uris?|buckets?|container_name|account_name"), "service"],
  [word("region|database|ssl|tls|facility"), "service"],
  [/(?:^|[._])endpoint$|(?:image|info)_table$|\.proxy(?:\.|$)/, "service"],
  [word("path|paths|pathname|filename|folder|directory|prefix|suffix|\\w*symlinks"), "path"],
  [
    /^source\.(?!cache\.|requests\.|breaker\.|attempts$|\w+_timeout$)|BasicStrategy\.image$/,
    "path",
  ],
];
