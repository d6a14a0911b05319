import {
  type IdentifierSyntax,
  type MetaIdentifier,
  parseIdentifier,
  simplerSegment,
} from "../../core/identifier.ts";

/** Reads raw identifier segments of one syntax; both methods throw `malformed`. */
export interface IdentifierReader {
  read(segment: string, syntax: IdentifierSyntax): MetaIdentifier;
  /** As `simplerSegment`. */
  simpler(segment: string, syntax: IdentifierSyntax): string | undefined;
}

/** Returns a reader that caches its results: viewers request many tiles of few images. */
export const identifierReader = (): IdentifierReader => {
  const cached = new Map<string, { id: MetaIdentifier; simpler: string | undefined }>();
  let current: IdentifierSyntax | undefined;
  const find = (segment: string, syntax: IdentifierSyntax) => {
    if (current === undefined || !isSame(current, syntax)) {
      cached.clear();
      current = syntax;
    }
    return cached.get(segment);
  };
  return {
    read(segment, syntax) {
      const known = find(segment, syntax);
      if (known !== undefined) return known.id;
      const id = parseIdentifier(segment, syntax);
      if (cached.size >= maxCached) cached.clear();
      // Long segments are rare, and would fill the memory.
      if (segment.length <= maxLength)
        cached.set(segment, { id, simpler: simplerSegment(segment, syntax) });
      return id;
    },
    simpler(segment, syntax) {
      const known = find(segment, syntax);
      return known === undefined ? simplerSegment(segment, syntax) : known.simpler;
    },
  };
};

const isSame = (one: IdentifierSyntax, other: IdentifierSyntax): boolean =>
  one.slashSubstitute === other.slashSubstitute &&
  one.delimiter === other.delimiter &&
  one.formStyle === other.formStyle;

/** Maximum number of cached segments, and their maximum length in characters. */
const maxCached = 4_096;
const maxLength = 512;
