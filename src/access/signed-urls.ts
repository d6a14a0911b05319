import type { Signature, SignedSubject } from "./signatures.ts";

/** A raw identifier segment, and the signature before it. */
export interface MarkedSegment {
  /** The raw mark with its separator; empty where there is none. */
  readonly mark: string;
  /** The rest after the mark. */
  readonly segment: string;
  readonly signature?: Omit<Signature, "subject">;
}

const tilde = "(?:~|%7[Ee])";
const marked = new RegExp(
  `^${tilde}(\\d{1,12})\\.([A-Za-z0-9_-]{1,32})\\.([A-Za-z0-9_-]{43})${tilde}(.*)$`,
  "s",
);

/**
 * Splits the signature of an image off a raw identifier segment, as in
 * `~1764000000.k1.Xy…~maps%2Fa.tif`.
 */
export const takeMark = (raw: string): MarkedSegment => {
  const [, expires, key, digest, segment] = marked.exec(raw) ?? [];
  return expires === undefined || key === undefined || digest === undefined || !segment
    ? { mark: "", segment: raw }
    : {
        mark: raw.slice(0, raw.length - segment.length),
        segment,
        signature: { expires: Number(expires), key, digest },
      };
};

/** The mark of an image's signature. */
export const markOf = ({ expires, key, digest }: Signature): string =>
  `~${expires}.${key}.${digest}~`;

/** The query arguments of a signature. */
const carriers: ReadonlySet<string> = new Set(["exp", "kid", "sig"]);

/**
 * The signature of a path in its query: it covers the path, byte by byte, with all other arguments
 * as they are. Undefined where there is none; a repeated one counts as none.
 */
export const signatureInQuery = (
  path: string,
  query: string | undefined,
): Signature | undefined => {
  if (!query?.includes("sig=")) return undefined;
  const { rest, carried } = divide(query);
  const [expires, key, digest] = ["exp", "kid", "sig"].map((name) => carried.get(name));
  if (carried.size !== carriers.size || expires === undefined) return undefined;
  if (key === undefined || digest === undefined || !/^\d{1,12}$/.test(expires)) return undefined;
  return { subject: pathSubject(path, rest), expires: Number(expires), key, digest };
};

/** The signed text of a path and its query, without an existing signature. */
export const pathSubject = (path: string, query: string | undefined): SignedSubject => {
  const rest = query === undefined ? "" : divide(query).rest;
  return { kind: "path", target: rest === "" ? path : `${path}?${rest}` };
};

/** A path and its query with the signature of both. */
export const withSignature = ({ subject, expires, key, digest }: Signature): string => {
  const target = subject.kind === "path" ? subject.target : "";
  return `${target}${target.includes("?") ? "&" : "?"}exp=${expires}&kid=${key}&sig=${digest}`;
};

/** Separates the arguments of a signature from all others; a repeated one counts as none. */
const divide = (
  query: string,
): { readonly rest: string; readonly carried: ReadonlyMap<string, string> } => {
  const carried = new Map<string, string>();
  const twice = new Set<string>();
  const rest = query.split("&").filter((argument) => {
    const at = argument.indexOf("=");
    const name = at < 0 ? argument : argument.slice(0, at);
    if (!carriers.has(name)) return true;
    if (carried.has(name)) twice.add(name);
    carried.set(name, argument.slice(at + 1));
    return false;
  });
  for (const name of twice) carried.delete(name);
  return { rest: rest.join("&"), carried };
};
