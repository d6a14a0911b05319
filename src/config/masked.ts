/** What stands in the place of a secret. */
export const mask = "(masked)";

/**
 * `user:password@` behind the slashes of an address. Passwords hold what they should not, so the
 * last @ counts. The bound keeps the time that texts without one take in proportion to their
 * length.
 */
const inUserinfo = /(\/\/[^:/?#\s@]{0,200}:)\S{0,500}@/g;

/**
 * A parameter of an address that is a secret by its name, with all behind it: who can tell where it
 * ends?
 */
const inParameters =
  /([?&;][\w.-]{0,60}(?:passw|pwd|secret|token|credential|signature|account_?key|api_?key)[\w.-]{0,60}=|[?&;](?:pass|sig|key)=)\S+/gi;

/**
 * A text without the passwords, tokens and signatures of addresses in it, to be shown or logged.
 */
export const masked = (text: string): string =>
  text.replace(inUserinfo, `$1${mask}@`).replace(inParameters, `$1${mask}`);
