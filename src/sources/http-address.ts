import { fail } from "../core/errors.ts";

/** Settings that map an identifier to a URL. */
export interface AddressRules {
  /** Prepended to every identifier; where empty, identifiers are whole URLs. */
  readonly prefix: string;
  /** Appended to every identifier. */
  readonly suffix: string;
}

/**
 * The URL of an identifier's image. Throws `missing` for anything outside the prefix, for URLs with
 * credentials, for schemes other than http and https, and for identifiers that merely spell another
 * one differently, since each would be cached separately.
 */
export const addressOf = (identifier: string, { prefix, suffix }: AddressRules): URL => {
  if (isOdd(identifier)) return missing(identifier);
  const url = prefix === "" ? whole(identifier, suffix) : below(identifier, { prefix, suffix });
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (!url || !isWeb || url.hostname === "") return missing(identifier);
  url.hash = "";
  return url;
};

const whole = (identifier: string, suffix: string): URL | undefined => {
  const [, scheme = "", rest = ""] = /^(https?:\/\/)(.*)$/i.exec(identifier) ?? [];
  const [host = "", ...path] = rest.split("/");
  // Programs disagree on hosts with credentials, a zone or a backslash.
  if (scheme === "" || !/^[\w.\-:[\]]+$/.test(host) || isClimbing(path)) return undefined;
  return parsed(scheme + host + escaped(`/${path.join("/")}`, /[#\\]/g) + suffix);
};

const below = (identifier: string, { prefix, suffix }: AddressRules): URL | undefined => {
  const isQuery = prefix.includes("?");
  const path = identifier.split("/");
  if (!isQuery && (isClimbing(path) || path.includes(""))) return undefined;
  // Characters that would end the path, or begin another parameter, are part of the name.
  const name = escaped(identifier, isQuery ? /[#&+]/g : /[#?\\]/g);
  const url = parsed(prefix + name + suffix);
  return url && parsed(prefix)?.origin === url.origin ? url : undefined;
};

/**
 * The URL that a delegate names. Undefined where a part of its path is one or two dots: that
 * usually comes from an identifier, and would leave the folder that the delegate means.
 */
export const namedAddress = (address: string): URL | undefined => {
  const [path = ""] = address.split(/[?#]/, 1);
  const url = isClimbing(path.split(/[/\\]/).slice(3)) ? undefined : parsed(address);
  if (url) url.hash = "";
  return url;
};

const parsed = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

/** Control characters and lone surrogates, which have no encoding. */
const isOdd = (identifier: string): boolean =>
  identifier === "" || /\p{Cc}/u.test(identifier) || /\p{Cs}/u.test(identifier);

/** Whether a part is one or two dots, in any encoding that a server may accept. */
const isClimbing = (parts: readonly string[]): boolean =>
  parts.some((part) => {
    let plain = part;
    for (let turn = 0; turn < maxTurns; turn++) {
      if (
        plain.split(/[/\\]/).some((name) => name === "." || name === ".." || /^\.\.?;/.test(name))
      )
        return true;
      const next = plain.replace(/%(2e|2f|5c|25)/gi, (_, hex: string) =>
        String.fromCharCode(Number.parseInt(hex, 16)),
      );
      if (next === plain) return false;
      plain = next;
    }
    return true;
  });

/** No name is encoded so many times. */
const maxTurns = 4;

/**
 * Encodes characters that a URL may not contain and those that match `also`; existing escapes are
 * kept.
 */
const escaped = (text: string, also: RegExp): string =>
  text
    .replace(/%(?![0-9a-f]{2})/gi, "%25")
    .replace(/[^\x21-\x7e]+|["<>^`{|}]/gu, encodeURIComponent)
    .replace(also, encodeURIComponent);

const missing = (identifier: string): never =>
  fail("missing", `There is no image '${identifier}'.`);
