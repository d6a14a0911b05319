import { type Coding, codings } from "./files.ts";

/** Maximum number of codings read from the header. */
const max = 20;

/**
 * The content coding of the response (RFC 9110 §12.5.3): the available and acceptable one with the
 * smallest body; `identity` where none is both.
 */
export const chooseCoding = (
  header: string | string[] | undefined,
  isThere: (coding: Coding) => boolean,
): Coding => {
  const wanted = new Set<string>();
  const refused = new Set<string>();
  const text = Array.isArray(header) ? header.join(",") : (header ?? "");
  for (const part of text.split(",").slice(0, max)) {
    const [name = "", ...parameters] = part.toLowerCase().split(";");
    const isRefused = parameters.some((parameter) => /^\s*q\s*=\s*0(\.0*)?\s*$/.test(parameter));
    (isRefused ? refused : wanted).add(name.trim());
  }
  const isWanted = (coding: Coding): boolean =>
    wanted.has(coding) || (wanted.has("*") && !refused.has(coding));
  return codings.find((coding) => isThere(coding) && isWanted(coding)) ?? "identity";
};
