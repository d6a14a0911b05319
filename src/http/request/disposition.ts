import { encodeExtended, parse } from "content-disposition";
import { decodeSegment } from "../../core/identifier.ts";
import { remembered } from "../../core/remembered.ts";

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

/**
 * Inline dispositions whose file names consist of an identifier and parameters. Each tile has a name
 * of its own, which is assembled in a reused buffer. The result is one flat string: Node.js tests
 * each header with a regular expression, which is slow for concatenated strings.
 */
export class InlineNames {
  readonly #heads: (segment: string) => Uint8Array;
  readonly #room = Buffer.alloc(1_024);

  constructor() {
    this.#heads = remembered(maxHeads, (segment) =>
      Buffer.from(`inline; filename="${safeName(decodeSegment(segment, "path"))}`, "latin1"),
    );
  }

  /**
   * The header for an identifier and parameters, as raw segments of a path, and an extension with
   * its dot that is appended unless the last parameter has it. Undefined if a parameter has to be
   * decoded, or if the header would exceed 1,024 bytes; throws `malformed` if the identifier cannot
   * be decoded.
   */
  of(segment: string, parameters: readonly string[], extension: string): string | undefined {
    const room = this.#room;
    const head = this.#heads(segment);
    if (head.length > room.length / 2) return undefined;
    room.set(head);
    let end = head.length;
    const add = (text: string): boolean => {
      if (text.length + 2 > room.length - end) return false;
      for (let n = 0; n < text.length; n++) {
        const code = text.charCodeAt(n);
        const safe = code < safeCodes.length ? (safeCodes[code] as number) : 0;
        if (safe === 0) return false;
        room[end++] = safe;
      }
      return true;
    };
    for (const parameter of parameters) {
      room[end++] = underscore;
      if (!add(parameter)) return undefined;
    }
    if (parameters.at(-1)?.endsWith(extension) !== true && !add(extension)) return undefined;
    room[end++] = quote;
    return room.toString("latin1", 0, end);
  }
}

/** Maximum number of names whose beginnings are cached. */
const maxHeads = 4_096;

const underscore = 0x5f;
const quote = 0x22;
const percent = 0x25;

/** What becomes of each ASCII character; 0: it has to be decoded. */
const safeCodes = Uint8Array.from({ length: 128 }, (_, code) =>
  code === percent ? 0 : safeName(String.fromCharCode(code)).charCodeAt(0),
);

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
