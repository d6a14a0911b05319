import { defineKeys, type Keys, type NumberedKeys } from "../config/keys.ts";
import { overlayBounds } from "../core/overlay-description.ts";

/** The keys after the number of an access rule. */
export const accessRuleKeys = {
  identifier: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "An access rule for identifiers that match this regular expression (RE2), such as `^maps/` for those that begin with it; blank for all. All conditions of a rule must hold, and the first matching rule decides. Instead of 1, rules have any number up to 999; they are checked in the order of their numbers.",
  },
  address: {
    type: "list",
    default: [],
    fileOnly: "lock",
    doc: "Addresses and networks in CIDR notation, IPv4 and IPv6, of the clients that the rule applies to. Behind proxies, `http.trusted_proxies` decides which address is the client's.",
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
    doc: "The name of a header that a proxy sets, such as `X-Remote-User`: the rule applies where it is present and not blank. Only requests that come directly from one of `http.trusted_proxies` count; the proxy must remove that header from what clients send.",
  },
  header_value: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "Values of that header, separated by commas: the rule applies where the header, or one of its comma-separated parts, equals one of them.",
  },
  signed: {
    type: "boolean",
    default: false,
    fileOnly: "lock",
    doc: "Whether the rule applies only to URLs with a valid signature (`access.signatures.keys`).",
  },
  auth: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "The name of a service of `auth.services`: the rule applies to clients that are logged in there. With a service of the profile external, the other conditions of the rule decide who may see the image.",
  },
  auth_groups: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "Groups, separated by commas: the rule applies to members of one of them.",
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
    doc: "The status of denied requests: 401 asks for a bearer token, 403 refuses, 404 hides that the image exists. Blank: 403.",
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
    doc: "Maximum size of the whole image, as pixels of its longer side. Regions get the same resolution, so that nothing finer can be assembled from them.",
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
    doc: "What is drawn over the images that a rule allows: the path or URL of an image, as in `overlays.BasicStrategy.image`, or `text:` and a text, styled by `overlays.BasicStrategy.string.*`. If it is unavailable, requests end with 500.",
  },
  watermark_position: {
    type: "string",
    default: "",
    fileOnly: "lock",
    doc: "Position of the watermark, as in `overlays.BasicStrategy.position`. Blank: `repeat` for images, `bottom right` for text.",
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

/** The prefix of access rules' keys. */
export const rulePrefix = "access.rules.";

export const numberedAccessRules: NumberedKeys = {
  prefix: rulePrefix,
  keys: accessRuleKeys,
  instead: {},
};

/** Keys of access control without code: those common to all rules, and signatures. */
export const accessKeys = defineKeys({
  "access.default": {
    type: "choice",
    choices: ["deny", "allow"],
    default: "deny",
    fileOnly: "lock",
    doc: "What happens to requests that match no access rule. Without any access rule, all are allowed.",
  },
  "access.signatures.keys": {
    type: "secret",
    default: "",
    fileOnly: "lock",
    doc: "Keys of signed URLs, as `id:secret`, separated by commas or spaces; a secret has at least 16 characters. `vitrine sign` signs with the first, and signatures of all are valid. Blank: no signatures.",
  },
  "access.signatures.required": {
    type: "string",
    default: "off",
    fileOnly: "lock",
    doc: "The images whose URLs must be signed, whatever the access rules say: `off` for none, `all`, or a regular expression (RE2) that their identifiers match.",
  },
  "access.signatures.clock_skew": {
    type: "seconds",
    default: 30,
    min: 0,
    max: 3_600,
    fileOnly: "lock",
    doc: "Seconds that a signed URL stays valid after it has expired, to allow for differing clocks.",
  },
});
