import { type Signatures, sign } from "../access/signatures.ts";
import { markOf, pathSubject, takeMark, withSignature } from "../access/signed-urls.ts";
import type { Config } from "../config/store.ts";
import { parseIdentifier } from "../core/identifier.ts";
import { identifierReadingKeys, identifierSyntax } from "../iiif/identifiers.ts";

/** The dependencies of signing. */
interface SigningTools {
  readonly signatures: Signatures;
  readonly config: Config;
}

/** Signs one path below `/iiif/N` with its query; `until` is in seconds since 1970. */
export const signPath = (target: string, until: number, { signatures }: SigningTools): string => {
  const [path, query] = divided(target);
  return withSignature(sign(signatures, pathSubject(path, query), until));
};

/**
 * Signs all URLs of the image that a path below `/iiif/N` names; `until` is in seconds since 1970.
 */
export const signImage = (
  target: string,
  until: number,
  { signatures, config }: SigningTools,
): string => {
  const [path, query] = divided(target);
  const [empty = "", iiif = "", version = "", raw = "", ...rest] = path.split("/");
  const { segment } = takeMark(raw);
  const syntax = identifierSyntax(config.view(identifierReadingKeys)());
  const { identifier } = parseIdentifier(segment, syntax);
  const mark = markOf(sign(signatures, { kind: "image", identifier }, until));
  const signed = [empty, iiif, version, mark + segment, ...rest].join("/");
  return query === undefined ? signed : `${signed}?${query}`;
};

const divided = (target: string): readonly [string, string | undefined] => {
  const at = target.indexOf("?");
  return at < 0 ? [target, undefined] : [target.slice(0, at), target.slice(at + 1)];
};
