import { createSeal } from "../../auth/sealed.ts";
import { fail } from "../../core/errors.ts";

/** Where a list or a search continues. */
export interface Cursor {
  /** The folder or the search text; a cursor is valid for this only. */
  readonly of: string;
  readonly at: string | number;
}

/** Writes cursors as opaque text. */
export interface Cursors {
  write(kind: CursorKind, cursor: Cursor): string;
  /** Where to continue; undefined for an empty text. Throws `malformed` for a foreign cursor. */
  read(kind: CursorKind, of: string, text: string): Cursor["at"] | undefined;
}

type CursorKind = "listing" | "search";

/**
 * Cursors are encrypted, since they contain the last scanned entry, which may be hidden from the
 * client, or a count that includes hidden ones.
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
            'after: expected the "next" of the previous response. Start again without it.',
          );
    },
  };
};
