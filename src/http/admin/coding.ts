import { type Coding, codings } from "./files.ts";

/** Of a header, so many codings are read. */
const max = 20;

/**
 * The coding to answer in (RFC 9110 §12.5.3): of those that are there and wanted at all, the one
 * that makes the answer smallest. What is not there in any wanted coding is answered as it is.
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
