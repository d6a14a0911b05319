/**
 * The Content-Disposition header for what `response-content-disposition` asks for; undefined when
 * it asks for neither `inline` nor `attachment`. `fallback` is the file name, with its extension,
 * for when none is given or the disposition is `inline`.
 */
export const contentDisposition = (
  asked: string | undefined,
  fallback: string,
): string | undefined => {
  const kind = /^\s*(inline|attachment)\s*(?:;|$)/i.exec(asked ?? "")?.[1]?.toLowerCase();
  if (asked === undefined || kind === undefined) return undefined;
  const plain = `${kind}; filename="${safeName(fallback)}"`;
  if (kind === "inline") return plain;
  const extended = extendedName(asked);
  const given = quotedName(asked);
  // A client's own name replaces the made-up one only where something is left of it.
  const name = given === undefined ? undefined : strippedName(given);
  const first = name === undefined || name === "" ? plain : `${kind}; filename="${name}"`;
  return extended === undefined ? first : `${first}; filename*=UTF-8''${extended}`;
};

/** A name made of an identifier: letters, digits, `-._` and spaces; the rest becomes `_`. */
export const safeName = (name: string): string => name.replace(/[^A-Za-z0-9\-._ ]/g, "_");

/** The longest client-given file name kept, in characters. */
const longestName = 255;

const quotedName = (asked: string): string | undefined => {
  const found = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^";]*))/i.exec(asked);
  return found === null ? undefined : (found[1]?.replace(/\\(.)/g, "$1") ?? found[2]);
};

const extendedName = (asked: string): string | undefined => {
  const found = /;\s*filename\*\s*=\s*UTF-8'[^']*'([^;]*)/i.exec(asked)?.[1]?.trim();
  if (found === undefined) return undefined;
  const name = withoutParents(decoded(found).replace(/[^\p{L}\p{M}\p{N}\p{S}\p{Zs}\-._]/gu, ""));
  return name === "" ? undefined : encodeExtended(name.slice(0, longestName));
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

// RFC 8187 admits fewer characters than encodeURIComponent leaves alone.
const encodeExtended = (name: string): string =>
  encodeURIComponent(name.replace(/\p{Surrogate}/gu, "")).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

const strippedName = (name: string): string =>
  withoutParents(name.replace(/[^A-Za-z0-9\-._ ]/g, ""))
    .trim()
    .slice(0, longestName);

/** Of each run of dots at most one is left. */
const withoutParents = (name: string): string => name.replaceAll("..", "");
