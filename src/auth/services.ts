import { rulePrefix } from "../access/keys.ts";
import { listed } from "../access/secrets.ts";
import type { Fault, WrittenConfiguration } from "../config/keys.ts";
import { numberOf } from "../config/numbered.ts";
import type { Snapshot } from "../config/store.ts";
import { authKeys, authServiceKeys, authServicePrefix } from "./keys.ts";
import type { OidcLogin } from "./login/oidc-login.ts";

/** A configured auth service. Empty texts are absent. */
export interface AuthService {
  readonly name: string;
  readonly profile: "active" | "kiosk" | "external";
  readonly provider: "" | "users" | "oidc" | "header" | "click-through";
  /** Path of the users file; empty without one. */
  readonly users: string;
  /** Header fields with name and groups; empty without. */
  readonly header: { readonly name: string; readonly groups: string };
  /** The OpenID Connect issuer; undefined without one. */
  readonly oidc?: OidcSettings;
  readonly label?: string;
  readonly heading?: string;
  readonly note?: string;
  readonly confirmLabel?: string;
  readonly errorHeading?: string;
  readonly errorNote?: string;
  readonly logoutLabel?: string;
  /** Duration of a session in seconds. */
  readonly sessionSeconds: number;
}

/** The settings of an OpenID Connect issuer. */
export type OidcSettings = Omit<OidcLogin, "cookieKey" | "texts" | "log" | "now">;

/** All configured auth services and their common settings. */
export interface AuthSettings {
  /** By name, in the order of their numbers; at least one. */
  readonly services: ReadonlyMap<string, AuthService>;
  readonly secrets: readonly string[];
  /** Origins that may get tokens; empty: all. */
  readonly origins: readonly string[];
  readonly tokenSeconds: number;
  readonly language: string;
  /** The version of IIIF Auth that Image API 2 describes. */
  readonly iiif2Flow: 1 | 2;
}

/** What is wrong with the configured auth services, including unknown keys and services. */
export const authFaults = ({ values, names }: WrittenConfiguration): readonly Fault[] => [
  ...readAuth(values).faults,
  ...unknownKeys(names),
];

/** Parses the configured auth services; undefined where there are none. */
export const readAuth = (
  values: Snapshot,
): { readonly settings: AuthSettings | undefined; readonly faults: readonly Fault[] } => {
  const faults: Fault[] = [];
  const fault = (key: string, message: string): void => {
    faults.push({ key, message: `${key}: ${message}` });
  };
  const services = new Map<string, AuthService>();
  for (const number of numbersIn(values)) {
    const service = readService(values, number, fault);
    if (service === undefined) continue;
    if (services.has(service.name))
      fault(
        `${authServicePrefix}${number}.name`,
        `expected a name of its own, got ${service.name}, which is taken.`,
      );
    services.set(service.name, service);
  }
  for (const [key, name] of rulesWithAuth(values))
    if (!services.has(name))
      fault(
        key,
        `expected the name of a service (${services.size === 0 ? "there is none" : [...services.keys()].join(", ")}), got ${name}.`,
      );
  const settings = services.size === 0 ? undefined : readSettings(values, services, fault);
  return { settings, faults };
};

type SayFault = (key: string, message: string) => void;

const readSettings = (
  values: Snapshot,
  services: ReadonlyMap<string, AuthService>,
  fault: SayFault,
): AuthSettings => {
  const value = (key: keyof typeof authKeys): unknown => values[key] ?? authKeys[key].default;
  const secrets = listed(String(value("auth.secret")));
  if (secrets.length === 0 || secrets.some(({ length }) => length < fewestCharacters))
    fault(
      "auth.secret",
      `expected secrets of at least ${fewestCharacters} characters, since there are auth services; for example the output of: openssl rand -base64 33`,
    );
  const origins = value("auth.origins");
  const given = Array.isArray(origins) ? origins.map(String) : [];
  const wrong = given.filter((origin) => !isOrigin(origin));
  if (wrong.length > 0)
    fault(
      "auth.origins",
      `expected origins such as https://viewer.example.org, got ${wrong.join(", ")}.`,
    );
  const language = String(value("auth.language"));
  if (!/^[a-zA-Z]{2,8}(?:-[a-zA-Z0-9]{1,8})*$/.test(language))
    fault("auth.language", "expected a language tag such as en or pt-BR.");
  return {
    services,
    secrets,
    origins: given,
    tokenSeconds: Number(value("auth.token_lifetime")),
    language,
    iiif2Flow: value("auth.iiif2_flow") === "2" ? 2 : 1,
  };
};

const fewestCharacters = 32;

/** Whether a text is an origin as browsers write it (RFC 6454 §6.2). */
export const isOrigin = (text: string): boolean =>
  /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text;

const numbersIn = (values: Snapshot): readonly number[] => {
  const numbers = Object.entries(values).flatMap(([key, value]) => {
    const found = value === null ? undefined : numberOf(authServicePrefix, key);
    return found === undefined ? [] : [found.number];
  });
  return [...new Set(numbers)].sort((one, other) => one - other);
};

const rulesWithAuth = (values: Snapshot): readonly (readonly [string, string])[] =>
  Object.entries(values).flatMap(([key, value]) =>
    numberOf(rulePrefix, key)?.rest === "auth" && typeof value === "string" && value !== ""
      ? [[key, value] as const]
      : [],
  );

const readService = (
  values: Snapshot,
  number: number,
  fault: SayFault,
): AuthService | undefined => {
  const keyOf = (key: string): string => `${authServicePrefix}${number}.${key}`;
  const value = (key: keyof typeof authServiceKeys): unknown =>
    values[keyOf(key)] ?? authServiceKeys[key].default;
  const text = (key: keyof typeof authServiceKeys): string => String(value(key) ?? "").trim();
  const name = text("name");
  if (!/^[\w-]{1,40}$/.test(name)) {
    fault(keyOf("name"), "expected 1 to 40 letters, digits, - and _.");
    return undefined;
  }
  const profile = text("profile") as AuthService["profile"];
  const provider = text("provider") as AuthService["provider"];
  checkProfile({ profile, provider, text, fault: (key, message) => fault(keyOf(key), message) });
  return {
    name,
    profile,
    provider,
    users: text("users"),
    header: { name: text("header"), groups: text("header_groups") },
    ...(provider === "oidc" ? { oidc: oidcOf(text, value("oidc.scopes")) } : {}),
    sessionSeconds: Number(value("session")),
    ...textsOf(text),
  };
};

const oidcOf = (text: ServiceDraft["text"], scopes: unknown): OidcSettings => ({
  issuer: text("oidc.issuer"),
  clientId: text("oidc.client_id"),
  clientSecret: text("oidc.client_secret"),
  scopes: Array.isArray(scopes) ? scopes.join(" ") : String(scopes),
  nameClaim: text("oidc.name_claim"),
  groupsClaim: text("oidc.groups_claim"),
});

/** Keys that one provider requires and no other has. */
const ownedBy = [
  ["users", "users"],
  ["header", "header"],
  ["oidc.issuer", "oidc"],
  ["oidc.client_id", "oidc"],
] as const;

interface ServiceDraft extends Pick<AuthService, "profile" | "provider"> {
  readonly text: (key: keyof typeof authServiceKeys) => string;
  readonly fault: SayFault;
}

const checkProfile = ({ profile, provider, text, fault }: ServiceDraft): void => {
  if (profile === "active" && text("label") === "")
    fault("label", "expected a text, since the profile is active.");
  if (profile === "active" && provider === "")
    fault("provider", "expected one, since the profile is active, got nothing.");
  if (profile !== "active" && provider !== "")
    fault("provider", `expected none, since the profile is ${profile}, got ${provider}.`);
  for (const [key, owner] of ownedBy)
    if ((provider === owner) !== (text(key) !== ""))
      fault(
        key,
        provider === owner
          ? `expected a value, since the provider is ${owner}, got nothing.`
          : `belongs to the provider ${owner}, and the provider is ${provider || "not set"}.`,
      );
  checkTexts({ text, fault });
};

/** Viewers show a note below its heading. */
const checkTexts = ({ text, fault }: Pick<ServiceDraft, "text" | "fault">): void => {
  for (const [note, heading] of [
    ["note", "heading"],
    ["error_note", "error_heading"],
  ] as const)
    if (text(note) !== "" && text(heading) === "")
      fault(note, `expected ${heading} as well: viewers show no note without one.`);
};

const textsOf = (text: (key: keyof typeof authServiceKeys) => string) => {
  const given = {
    label: text("label"),
    heading: text("heading"),
    note: text("note"),
    confirmLabel: text("confirm_label"),
    errorHeading: text("error_heading"),
    errorNote: text("error_note"),
    logoutLabel: text("logout_label"),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== "")) as Partial<
    typeof given
  >;
};

/** Cantaloupe's passwords for images: reported as missing protection. */
const cantaloupePrefix = "auth.basic.";

/** A service without the misspelt key would be a different one. */
const unknownKeys = (names: readonly string[]): readonly Fault[] =>
  names
    .filter((name) => name.startsWith("auth.") && !name.startsWith(cantaloupePrefix))
    .filter((name) => !Object.hasOwn(authKeys, name))
    .flatMap((key): readonly Fault[] => {
      const rest = numberOf(authServicePrefix, key)?.rest;
      if (rest !== undefined && Object.hasOwn(authServiceKeys, rest)) return [];
      const expected =
        rest === undefined
          ? `one of ${Object.keys(authKeys).join(", ")} or ${authServicePrefix}1.…`
          : `a number from 1 to 999 and one of ${Object.keys(authServiceKeys).join(", ")}`;
      return [{ key, message: `${key}: there is no such key; expected ${expected}.` }];
    });
