import { encodeExtended, parse } from "content-disposition";

/**
 * Returns the Content-Disposition header for the value of `response-content-disposition`; undefined
 * when that is neither `inline` nor `attachment`. `fallback` is the file name with its extension,
 * used when the client names none or the disposition is `inline`.
 */
export const contentDisposition = (
  wanted: string | undefined,
  fallback: string,
): string | undefined => {
  if (wanted === undefined) return undefined;
  const { type, parameters } = parse(wanted, { extended: false });
  const plain = `${type}; filename="${safeName(fallback)}"`;
  if (type === "inline") return plain;
  if (type !== "attachment") return undefined;
  // The client's own name is used only where something is left of it after cleaning.
  const name = strippedName(parameters["filename"] ?? "");
  const first = name === "" ? plain : `attachment; filename="${name}"`;
  const extended = extendedName(wanted);
  return extended === "" ? first : `${first}; filename*=${encodeExtended(extended)}`;
};

/** A name made of an identifier: letters, digits, `-._` and spaces; the rest becomes `_`. */
export const safeName = (name: string): string => name.replace(/[^A-Za-z0-9\-._ ]/g, "_");

/** Maximum length of a client's file name, in characters. */
const maxName = 255;

const strippedName = (name: string): string =>
  withoutParents(name.replace(/[^A-Za-z0-9\-._ ]/g, ""))
    .trim()
    .slice(0, maxName);

const extendedName = (wanted: string): string => {
  const name = parse(wanted).parameters["filename"];
  const isExtended = parse(wanted, { extended: false }).parameters["filename*"] !== undefined;
  if (name === undefined || !isExtended) return "";
  return withoutParents(name.replace(/[^\p{L}\p{M}\p{N}\p{S}\p{Zs}\-._]/gu, ""))
    .slice(0, maxName)
    .replace(/\p{Surrogate}/gu, "");
};

/** Each run of dots is reduced to one. */
const withoutParents = (name: string): string => name.replaceAll("..", "");
