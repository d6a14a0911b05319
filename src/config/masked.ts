/** Replaces a secret. */
export const mask = "(masked)";

/**
 * `user:password@` after the slashes of a URL. Passwords may contain invalid characters, so the
 * last @ counts. The bound keeps matching linear in the length of texts without one.
 */
const inUserinfo = /(\/\/[^:/?#\s@]{0,200}:)\S{0,500}@/g;

/**
 * A parameter of a URL that is a secret by its name, with everything after it, since its end is
 * uncertain.
 */
const inParameters =
  /([?&;][\w.-]{0,60}(?:passw|pwd|secret|token|credential|signature|account_?key|api_?key)[\w.-]{0,60}=|[?&;](?:pass|sig|key)=)\S+/gi;

/** A text without passwords, tokens and signatures of URLs, for display or logs. */
export const masked = (text: string): string =>
  text.replace(inUserinfo, `$1${mask}@`).replace(inParameters, `$1${mask}`);
