import type { Identity } from "./identity.ts";
import { noticePage } from "./page.ts";
import type { LoginProvider, LoginTexts } from "./provider.ts";

/** The header fields by which a trusted proxy identifies a person. */
interface IdentityHeaders {
  /** The field with the name. */
  readonly name: string;
  /** The field with the groups, separated by commas or semicolons. */
  readonly groups?: string;
}

export interface HeaderLogin extends IdentityHeaders {
  readonly texts: LoginTexts;
}

/**
 * Identifies people by header fields of a trusted proxy, which has logged them in. A request
 * without the field, or with an invalid name, gets a page with status 403.
 */
export const createHeaderProvider = ({ texts, ...headers }: HeaderLogin): LoginProvider => ({
  async step({ header }) {
    const identity = identityOf(headers, header);
    if (identity !== undefined) return { kind: "done", identity };
    return noticePage({
      texts,
      status: 403,
      title: "You are not logged in",
      message:
        "This server relies on a login that comes before it, and did not receive your name from there. Open the page by the address that your institution gives, log in there, and try again.",
    });
  },
});

const identityOf = (
  { name, groups }: IdentityHeaders,
  header: (name: string) => string | undefined,
): Identity | undefined => {
  const given = textOf(header(name))?.trim() ?? "";
  if (given === "" || given.length > maxCharacters) return undefined;
  const listed = groups === undefined ? "" : (textOf(header(groups)) ?? "");
  return { name: given, groups: groupsOf(listed) };
};

const maxCharacters = 255;
const maxGroups = 1_000;

const groupsOf = (text: string): readonly string[] => {
  const names = text.split(/[,;]/).map((group) => group.trim());
  return [...new Set(names.filter((group) => group !== ""))].slice(0, maxGroups);
};

/**
 * Node.js reads header fields as Latin-1; most proxies send UTF-8. Undefined for text with control
 * characters.
 */
const textOf = (value: string | undefined): string | undefined => {
  if (value === undefined) return undefined;
  const text = decoded(value);
  return /\p{Cc}/u.test(text) ? undefined : text;
};

const decoded = (value: string): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(value, "latin1"));
  } catch {
    return value;
  }
};
