import { createSeal } from "../../auth/sealed.ts";
import { fail } from "../../core/errors.ts";

/** Where a list or a search goes on. */
export interface Cursor {
  /** The folder or the text searched for: a cursor is for this one only. */
  readonly of: string;
  readonly at: string | number;
}

/** Writes cursors as texts that tell a client nothing. */
export interface Cursors {
  write(kind: CursorKind, cursor: Cursor): string;
  /** Where to go on; undefined for an empty text. Throws `malformed` for one not written here. */
  read(kind: CursorKind, of: string, text: string): Cursor["at"] | undefined;
}

type CursorKind = "listing" | "search";

/**
 * Cursors are sealed, since they name the last entry that was looked at, which may be hidden from
 * the client, or count hidden ones.
 */
export const createCursors = (secret: string): Cursors => {
  const seal = createSeal([secret]);
  return {
    write: (kind, cursor) => seal.seal(kind, cursor),
    read(kind, of, text) {
      if (text === "") return undefined;
      const cursor = seal.open(kind, text) as Cursor | undefined;
      return cursor?.of === of
        ? cursor.at
        : fail(
            "malformed",
            'after: expected the "next" of the part before. Start again without it.',
          );
    },
  };
};
