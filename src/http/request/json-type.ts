import { negotiate } from "./accept.ts";

export const plainJson = "application/json";
export const linkedJson = "application/ld+json";

/** A kind of document of an IIIF API. */
export interface LinkedDocument {
  /** The JSON-LD context. */
  readonly context: string;
  /** The media type without an Accept header, or when it allows any. */
  readonly mediaType: typeof plainJson | typeof linkedJson;
}

/**
 * The media type of a document. Only a header that ranks one kind of JSON above the other, or HTML
 * above all, changes a version's usual type (Image 2.1 §5, 3.0 §5.1; Presentation 2.1 §7.2, 3.0
 * §6.2).
 */
export const jsonType = (
  { mediaType: usual, context }: LinkedDocument,
  accept: string | undefined,
): string => {
  const other = usual === linkedJson ? plainJson : linkedJson;
  const wanted = negotiate(accept, [usual, other, "text/html"]);
  const chosen = wanted === "text/html" ? plainJson : (wanted ?? usual);
  return chosen === linkedJson ? `${linkedJson};profile="${context}"` : plainJson;
};
