import { fail } from "../core/errors.ts";

/** How an identifier becomes an address. */
export interface AddressRules {
  /** Put before every identifier; where it is blank, identifiers are whole addresses. */
  readonly prefix: string;
  /** Put behind it. */
  readonly suffix: string;
}

/**
 * The address of an identifier's image. Throws `missing` for whatever would not be below the
 * prefix, for addresses with logins in them, for other schemes than http and https, and for
 * identifiers that are but another spelling of one: each would be cached for itself.
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
  // What has a login, a zone or a backslash in its host is read in different ways by different
  // programs.
  if (scheme === "" || !/^[\w.\-:[\]]+$/.test(host) || isClimbing(path)) return undefined;
  return parsed(scheme + host + escaped(`/${path.join("/")}`, /[#\\]/g) + suffix);
};

const below = (identifier: string, { prefix, suffix }: AddressRules): URL | undefined => {
  const isQuery = prefix.includes("?");
  const path = identifier.split("/");
  if (!isQuery && (isClimbing(path) || path.includes(""))) return undefined;
  // What would end the path, or begin another parameter, is part of the name.
  const name = escaped(identifier, isQuery ? /[#&+]/g : /[#?\\]/g);
  const url = parsed(prefix + name + suffix);
  return url && parsed(prefix)?.origin === url.origin ? url : undefined;
};

/**
 * The address that a delegate names. Undefined where a part of its path is one or two dots: that
 * mostly comes of an identifier, and would lead out of the folder the delegate means.
 */
export const namedAddress = (address: string): URL | undefined => {
  const [path = ""] = address.split(/[?#]/, 1);
  const url = isClimbing(path.split(/[/\\]/).slice(3)) ? undefined : parsed(address);
  if (url) url.hash = "";
  return url;
};

const parsed = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

/** Control characters, and halves of characters, which have no encoding. */
const isOdd = (identifier: string): boolean =>
  identifier === "" || /\p{Cc}/u.test(identifier) || /\p{Cs}/u.test(identifier);

/** Whether a part is one or two dots, in whatever spelling a server may understand. */
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

/** Encoded so many times, nothing is a name. */
const maxTurns = 4;

/**
 * Encodes what may not stand in an address, and what matches `also`; what is encoded already stays
 * as it is.
 */
const escaped = (text: string, also: RegExp): string =>
  text
    .replace(/%(?![0-9a-f]{2})/gi, "%25")
    .replace(/[^\x21-\x7e]+|["<>^`{|}]/gu, encodeURIComponent)
    .replace(also, encodeURIComponent);

const missing = (identifier: string): never =>
  fail("missing", `There is no image '${identifier}'.`);
