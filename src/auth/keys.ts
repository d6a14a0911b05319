import { defineKeys, type Keys, type NumberedKeys } from "../config/keys.ts";

/** The keys after the number of an auth service. */
export const authServiceKeys = {
  name: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "The name of an auth service (IIIF Authorization Flow): letters, digits, `-` and `_`, at most 40. Access rules refer to it with `access.rules.1.auth`. Instead of 1, services have any number up to 999.",
  },
  profile: {
    type: "choice",
    choices: ["active", "kiosk", "external"],
    default: "active",
    fileOnly: "lock",
    doc: "How users are admitted: `active` logs them in, or shows them terms; `kiosk` admits, without interaction, clients that meet the other conditions of a rule; `external` needs nothing but those conditions, such as the address of a reading room.",
  },
  provider: {
    type: "choice",
    choices: ["", "users", "oidc", "header", "click-through"],
    default: "",
    fileOnly: "lock",
    doc: "What logs users in where the profile is `active`: `users` asks for a name and password of a users file; `oidc` sends users to an OpenID Connect provider; `header` takes the name that a trusted proxy sends; `click-through` shows the texts of the service and admits whoever confirms them.",
  },
  users: {
    type: "path",
    default: "",
    fileOnly: "lock",
    doc: "The users file of the provider `users`, as written by `vitrine user add`. Relative paths start at the folder of the configuration file.",
  },
  "oidc.issuer": {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "The issuer of the provider `oidc`, as in `https://login.example.org/realms/museum`. Register `…/auth/access/NAME/callback` there as the redirect URI.",
  },
  "oidc.client_id": {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "The client id under which the issuer knows this server.",
  },
  "oidc.client_secret": {
    type: "secret",
    default: "",
    fileOnly: "lock",
    doc: "The client secret. Blank: a public client.",
  },
  "oidc.scopes": {
    type: "list",
    default: ["openid", "profile"],
    fileOnly: "lock",
    doc: "The scopes to ask for.",
  },
  "oidc.name_claim": {
    type: "string",
    default: "preferred_username",
    fileOnly: "lock",
    doc: "The claim with the user's name; dots lead into objects.",
  },
  "oidc.groups_claim": {
    type: "string",
    default: "groups",
    fileOnly: "lock",
    doc: "The claim with the user's groups; dots lead into objects, as in `realm_access.roles`.",
  },
  header: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "The header with the user's name for the provider `header`, such as `X-Remote-User`. Only requests that come directly from one of `http.trusted_proxies` count.",
  },
  header_groups: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "The header with the user's groups, separated by commas, for the provider `header`.",
  },
  label: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "Label of the login button in viewers. Required where the profile is `active`.",
  },
  heading: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "Heading that viewers and the login page show before a login.",
  },
  note: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "Text below that heading.",
  },
  confirm_label: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "Label of the button that opens the login page.",
  },
  error_heading: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "Heading that viewers show when access is refused.",
  },
  error_note: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "Text below that heading.",
  },
  logout_label: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "Label of the logout button in viewers. Blank: viewers get no logout service.",
  },
  session: {
    type: "seconds",
    default: 28_800,
    min: 60,
    max: 31_536_000,
    fileOnly: "lock",
    doc: "Seconds that a login lasts.",
  },
} as const satisfies Keys;

/** The prefix of auth services' keys. */
export const authServicePrefix = "auth.services.";

export const numberedAuthServices: NumberedKeys = {
  prefix: authServicePrefix,
  keys: authServiceKeys,
  instead: {},
};

/** IIIF Authorization Flow: keys common to all services. */
export const authKeys = defineKeys({
  "auth.secret": {
    type: "secret",
    default: "",
    fileOnly: "lock",
    doc: "Secrets that encrypt sessions and access tokens, separated by commas or spaces, of at least 32 characters each. The first is used for new ones, and all are accepted. All servers of a cluster need the same. Required as soon as there is an auth service.",
  },
  "auth.origins": {
    type: "list",
    default: [],
    fileOnly: "lock",
    doc: "Origins of viewers that may get access tokens, such as `https://viewer.example.org`. Blank: all.",
  },
  "auth.token_lifetime": {
    type: "seconds",
    default: 600,
    min: 10,
    max: 86_400,
    fileOnly: "lock",
    doc: "Seconds that an access token is valid. Viewers request new ones by themselves.",
  },
  "auth.language": {
    type: "string",
    default: "en",
    fileOnly: "lock",
    doc: "The language of the texts of auth services, as a tag such as `en` or `pt-BR`.",
  },
  "auth.iiif2_flow": {
    type: "choice",
    choices: ["1", "2"],
    default: "1",
    fileOnly: "lock",
    doc: "The version of IIIF Auth that info.json of Image API 2 describes: 1, as viewers of that time expect, or 2. Image API 3 always has version 2.",
  },
});
