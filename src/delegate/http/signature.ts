import { createHmac } from "node:crypto";

/** The header field of signatures. */
export const signatureHeader = "vitrine-signature";

/**
 * The signature of a request, as in `t=1767225600,v1=6f…`: HMAC-SHA256, in hexadecimal digits, of
 * the time in seconds since 1970, a dot, the last segment of the path, a dot, and the body.
 */
export const signatureOf = (
  { name, body }: { readonly name: string; readonly body: string },
  secret: string,
  now: number = Date.now(),
): string => {
  const time = Math.floor(now / 1_000);
  const digest = createHmac("sha256", secret).update(`${time}.${name}.${body}`).digest("hex");
  return `t=${time},v1=${digest}`;
};
