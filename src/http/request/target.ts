/**
 * A request target split into parts, not yet decoded; characters that a URI may not contain are
 * encoded.
 */
export interface Target {
  /**
   * `host` or `host:port` of an absolute-form target, which overrides the Host header (RFC 9112
   * §3.2.2).
   */
  readonly authority?: string;
  /** From the first `/` up to the query. */
  readonly path: string;
  /** The parts of the path between its slashes; `/a/` has `a` and an empty one. */
  readonly segments: readonly string[];
  /** What follows the first `?`; undefined without one. */
  readonly query: string | undefined;
}

/**
 * Splits a raw request target. Nothing is decoded or normalised, so that encoded slashes, dots and
 * backslashes keep their meaning (3.0 §9: split first, decode afterwards).
 */
export const parseTarget = (raw: string): Target => {
  const withoutFragment = upTo(raw, "#");
  const absolute = withoutFragment.startsWith("/")
    ? null
    : /^https?:\/\/([^/?]*)/i.exec(withoutFragment);
  const rest = absolute === null ? withoutFragment : withoutFragment.slice(absolute[0].length);
  const path = upTo(rest, "?");
  const query = path.length < rest.length ? rest.slice(path.length + 1) : undefined;
  const plain = !literals.test(path) && path.startsWith("/");
  const segments = plain
    ? segmentsOf(path, 1)
    : segmentsOf(path, path.startsWith("/") ? 1 : 0).map(encodeLiterals);
  const target = {
    path: plain ? path : `/${segments.join("/")}`,
    segments,
    query: query === undefined ? undefined : encodeLiterals(query),
  };
  return absolute?.[1] === undefined ? target : { ...target, authority: absolute[1] };
};

/** As `parseTarget`; repeated calls with the same raw target return the cached result. */
export const targets = (): ((raw: string) => Target) => {
  let last: { readonly raw: string; readonly target: Target } | undefined;
  return (raw) => {
    if (last?.raw !== raw) last = { raw, target: parseTarget(raw) };
    return last.target;
  };
};

/** The parts of a path from a position on. `split` goes through V8's runtime. */
const segmentsOf = (path: string, start: number): string[] => {
  const segments: string[] = [];
  let from = start;
  for (let at = path.indexOf("/", from); at >= 0; at = path.indexOf("/", from)) {
    segments.push(path.slice(from, at));
    from = at + 1;
  }
  segments.push(path.slice(from));
  return segments;
};

const upTo = (text: string, mark: string): string => {
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
};

/** Characters that a URI may not contain. */
const literals = /[^A-Za-z0-9\-._~!$&'()*+,;=:@%/?]/;

/**
 * The text with every character that a URI may not contain percent-encoded, byte by byte: Node
 * represents header bytes above 127 as one character each.
 */
export const encodeLiterals = (raw: string): string =>
  raw.replace(/[^A-Za-z0-9\-._~!$&'()*+,;=:@%/?]/g, (character) =>
    [...Buffer.from(character, "latin1")]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
      .join(""),
  );
