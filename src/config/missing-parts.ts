import { defineKeys } from "./keys.ts";

/** A feature of Cantaloupe's that Vitrine does not have yet, by a key that enables it. */
export interface MissingPart {
  readonly key: string;
  /** Whether a non-empty value enables the feature. */
  readonly asks: (value: string) => boolean;
  /** What the key asks for, after "asks for". */
  readonly wants: string;
  /**
   * Set where the feature protects images. A configuration that asks for it is rejected, unless
   * `unsupported_protection` says otherwise; for any other feature there is a warning.
   */
  readonly protects: boolean;
  /** The key that does the same today; where that one is set, it counts. */
  readonly instead?: string;
}

export const missingPartKeys = defineKeys({
  unsupported_protection: {
    type: "choice",
    choices: ["refuse", "ignore"],
    default: "refuse",
    fileOnly: "lock",
    doc: "What happens if the configuration asks for protection that Vitrine does not have yet, such as passwords for images: `refuse` does not start the server and rejects such changes; `ignore` serves images without that protection, with a warning in /status, /health and the control panel.",
  },
});

const off = new Set(["false", "0", "no", "off"]);
/** Anything that is not clearly a no may be meant as a yes. */
const on = (value: string): boolean => !off.has(value.toLowerCase());
const set = (): boolean => true;

type Asks = MissingPart["asks"];
const protects = (key: string, asks: Asks, wants: string, instead?: string): MissingPart => ({
  key,
  asks,
  wants,
  protects: true,
  ...(instead === undefined ? {} : { instead }),
});
const serves = (key: string, asks: Asks, wants: string): MissingPart => ({
  key,
  asks,
  wants,
  protects: false,
});

const delegate = "a delegate script that decides who may see which image";
const choosing = "a delegate script that chooses the source of each image";
const overlay = "overlays (watermarks) on images";
const redactions = "redactions: parts of images blacked out by a delegate script";
const login = "a user name and a password for every image";
const sizes = "listed sizes only";
const syslog = "log entries sent to syslog";

/** One line for each key. Once a feature exists, its lines are removed. */
export const missingParts: readonly MissingPart[] = [
  // Of Cantaloupe 4 and earlier.
  protects("delegate_script", set, delegate, "delegate_script.pathname"),
  protects("resolver.delegate", on, choosing, "source.delegate"),
  protects("overlays.enabled", on, overlay, "overlays.BasicStrategy.enabled"),
  protects("watermark.enabled", on, overlay, "overlays.BasicStrategy.enabled"),
  protects("redaction.enabled", on, redactions, "delegate_script.enabled"),
  protects("endpoint.public.auth.basic.enabled", on, login),
  protects("auth.basic.enabled", on, login),
  protects("http.auth.basic", on, login),
  protects("endpoint.iiif.2.restrict_to_sizes", on, sizes, "endpoint.iiif.restrict_to_sizes"),

  serves("log.application.SyslogAppender.enabled", on, syslog),
  serves("log.access.SyslogAppender.enabled", on, syslog),
];
