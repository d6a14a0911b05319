import { type MarkedSegment, takeMark } from "../../access/signed-urls.ts";
import { fail } from "../../core/errors.ts";
import { decodeSegment, quoted, textOfSegment } from "../../core/identifier.ts";
import type { Exchange } from "../request/exchange.ts";
import type { PresentationDeps } from "./deps.ts";

/** The document that a request's path names. */
export type Destination =
  | { readonly kind: "collection"; readonly folder: string }
  | { readonly kind: "manifest"; readonly marked: MarkedSegment; readonly folder: string }
  | { readonly kind: "elsewhere"; readonly path: string };

/**
 * Parses the path of a request below `/presentation/N`. Throws `missing` for other paths, and
 * `malformed` if it cannot be decoded.
 */
export const destinationOf = (
  { target }: Pick<Exchange, "target">,
  {
    presentation,
    identifierSyntax,
    identifierReader,
    isTransformed,
    policy,
  }: Pick<
    PresentationDeps,
    "presentation" | "identifierSyntax" | "identifierReader" | "isTransformed" | "policy"
  >,
): Destination => {
  const segments = target.segments.slice(2);
  const prefix = `/presentation/${presentation.number}`;
  const [identifier = "", last] = segments;
  const name = decodeSegment(segments.at(-1) ?? "", "path");
  if (segments.length === 1 && name === "collection.json")
    return { kind: "collection", folder: "" };
  const isKnown = name === "manifest.json" || name === "collection.json";
  if (segments.length !== 2 || identifier === "" || !isKnown)
    return fail(
      "missing",
      `path: expected {identifier}/manifest.json, {folder}/collection.json or collection.json below ${prefix}, got ${quoted(target.path)}`,
    );
  const syntax = identifierSyntax();
  if (name === "collection.json")
    return { kind: "collection", folder: textOfSegment(identifier, syntax) };
  const marked: MarkedSegment = policy?.()?.signatures
    ? takeMark(identifier)
    : { mark: "", segment: identifier };
  const simpler = isTransformed() ? undefined : identifierReader.simpler(marked.segment, syntax);
  if (simpler !== undefined)
    return { kind: "elsewhere", path: `${prefix}/${marked.mark}${simpler}/${last}` };
  return { kind: "manifest", marked, folder: textOfSegment(marked.segment, syntax) };
};
