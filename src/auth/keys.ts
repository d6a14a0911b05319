import { defineKeys, type Keys, type NumberedKeys } from "../config/keys.ts";

/** What stands behind the number of an auth service. */
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
    doc: "How users come to be let in: `active` logs them in, or shows them terms; `kiosk` lets in without interaction whoever the other conditions of a rule hold for; `external` needs nothing but those conditions, such as the address of a reading room.",
  },
  provider: {
    type: "choice",
    choices: ["", "users", "oidc", "header", "click-through"],
    default: "",
    fileOnly: "lock",
    doc: "What logs users in where the profile is `active`: `users` asks for a name and password of a users file; `oidc` sends users to a provider of OpenID Connect; `header` takes the name that a trusted proxy sends; `click-through` shows the texts of the service and lets in whoever confirms them.",
  },
  users: {
    type: "path",
    default: "",
    fileOnly: "lock",
    doc: "The users file of the provider `users`, as `vitrine user add` writes it. A relative path counts from the folder of the configuration file.",
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
    doc: "The client id that the issuer knows this server by.",
  },
  "oidc.client_secret": {
    type: "secret",
    default: "",
    fileOnly: "lock",
    doc: "The client secret. If blank, the client is a public one.",
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
    doc: "The header field with the user's name for the provider `header`, as in `X-Remote-User`. It counts only in requests that come directly from one of `http.trusted_proxies`.",
  },
  header_groups: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "The header field with the user's groups, separated by commas, for the provider `header`.",
  },
  label: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "What viewers write on the button that logs in. Needed where the profile is `active`.",
  },
  heading: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "Heading of what viewers and the login page show before a login.",
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
    doc: "What viewers write on the button that opens the login page.",
  },
  error_heading: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "Heading of what viewers show when access is refused.",
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
    doc: "What viewers write on the button that logs out. If blank, viewers are not told how.",
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

/** What stands before the number of an auth service. */
export const authServicePrefix = "auth.services.";

export const numberedAuthServices: NumberedKeys = {
  prefix: authServicePrefix,
  keys: authServiceKeys,
  instead: {},
};

/** IIIF Authorization Flow: what holds for all services. */
export const authKeys = defineKeys({
  "auth.secret": {
    type: "secret",
    default: "",
    fileOnly: "lock",
    doc: "Secrets that sessions and access tokens are encrypted with, separated by commas or spaces, of at least 32 characters each. The first is used for new ones, and all are accepted. All servers of a cluster need the same. Needed as soon as there is an auth service.",
  },
  "auth.origins": {
    type: "list",
    default: [],
    fileOnly: "lock",
    doc: "Origins of viewers, as in `https://viewer.example.org`, that may be given access tokens. If blank: all.",
  },
  "auth.token_lifetime": {
    type: "seconds",
    default: 600,
    min: 10,
    max: 86_400,
    fileOnly: "lock",
    doc: "Seconds that an access token is valid. Viewers ask for another one by themselves.",
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
