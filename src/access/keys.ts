import { defineKeys, type Keys, type NumberedKeys } from "../config/keys.ts";
import { overlayBounds } from "../core/overlay-description.ts";

/** What stands behind the number of an access rule. */
export const accessRuleKeys = {
  identifier: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "An access rule: it holds for identifiers in which this regular expression (RE2) is found, as `^maps/` is in those that begin so; blank: for all. All conditions of a rule must hold; the first rule whose conditions do decides. Instead of 1, rules have any number up to 999, and are gone through in the order of their numbers.",
  },
  address: {
    type: "list",
    default: [],
    fileOnly: "lock",
    doc: "Addresses and networks in CIDR form, IPv4 and IPv6: the rule holds for clients in one of them. Behind proxies, `http.trusted_proxies` decides which address is the client's.",
  },
  token: {
    type: "secret",
    default: "",
    fileOnly: "lock",
    doc: "Bearer tokens, separated by commas or spaces: the rule holds for requests with one of them in `Authorization: Bearer`. A token has at least 16 characters; `sha256:` and 64 hexadecimal digits stand for the token with that hash.",
  },
  header: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "The name of a header field that a proxy sets, as in `X-Remote-User`: the rule holds where it is there and not blank. Heeded only in requests that come directly from one of `http.trusted_proxies`; the proxy has to remove what clients send under that name.",
  },
  header_value: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "Values of that header field, separated by commas: the rule holds where the field, or one of the parts that it has between commas, is exactly one of them.",
  },
  signed: {
    type: "boolean",
    default: false,
    fileOnly: "lock",
    doc: "Whether the rule holds only for URLs with a valid signature (`access.signatures.keys`).",
  },
  auth: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "The name of a service of `auth.services`: the rule holds for clients that are logged in there. With a service of the profile external, the other conditions of the rule say who may see the image.",
  },
  auth_groups: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "Groups, separated by commas: the rule holds for members of one of them.",
  },
  action: {
    type: "choice",
    choices: ["", "allow", "deny"],
    default: "",
    fileOnly: "lock",
    doc: "What the rule does. Every rule needs one.",
  },
  status: {
    type: "choice",
    choices: ["", "401", "403", "404"],
    default: "",
    fileOnly: "lock",
    doc: "The status of what is denied: 401 asks for a bearer token, 403 refuses, 404 does not tell that there is such an image. Blank: 403.",
  },
  substitute: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "What viewers are offered instead until their users log in, for rules that deny or bound the size: the identifier of another image, or, with max_size or max_area, a scale such as 1:4 for the same one in small.",
  },
  max_size: {
    type: "integer",
    default: null,
    min: 1,
    fileOnly: "lock",
    doc: "How large the whole image is allowed at most: pixels of its longer side. Regions are allowed in the same resolution, so that nothing finer can be put together of them.",
  },
  max_area: {
    type: "integer",
    default: null,
    min: 1,
    fileOnly: "lock",
    doc: "As max_size, but width times height.",
  },
  watermark: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "What is drawn over the images that a rule allows: the path or URL of a picture, as in `overlays.BasicStrategy.image`, or `text:` and a text, which looks as `overlays.BasicStrategy.string.*` say. If it cannot be had, requests end with 500.",
  },
  watermark_position: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "Where the watermark lies, as in `overlays.BasicStrategy.position`. Blank: `repeat` for pictures, `bottom right` for text.",
  },
  watermark_inset: {
    type: "integer",
    default: null,
    min: 0,
    max: overlayBounds.inset,
    fileOnly: "lock",
    doc: "Pixels between the watermark and the edges of the image.",
  },
} as const satisfies Keys;

/** What stands before the number of an access rule. */
export const rulePrefix = "access.rules.";

export const numberedAccessRules: NumberedKeys = {
  prefix: rulePrefix,
  keys: accessRuleKeys,
  instead: {},
};

/** Access without code: what holds for all rules, and signatures. */
export const accessKeys = defineKeys({
  "access.default": {
    type: "choice",
    choices: ["deny", "allow"],
    default: "deny",
    fileOnly: "lock",
    doc: "What becomes of requests for which no access rule holds. Without any access rule, all are allowed.",
  },
  "access.signatures.keys": {
    type: "secret",
    default: "",
    fileOnly: "lock",
    doc: "Keys of signed URLs, as `id:secret`, separated by commas or spaces; a secret has at least 16 characters. `vitrine sign` signs with the first, and the signatures of all are valid. Blank: there are no signatures.",
  },
  "access.signatures.required": {
    type: "string",
    default: "off",
    fileOnly: "lock",
    doc: "For which images a URL must be signed, whatever the access rules say: `off` for none, `all`, or a regular expression (RE2) that is found in their identifiers.",
  },
  "access.signatures.clock_skew": {
    type: "seconds",
    default: 30,
    min: 0,
    max: 3_600,
    fileOnly: "lock",
    doc: "Seconds that a signed URL is still valid after it has expired, for clocks that differ.",
  },
});
