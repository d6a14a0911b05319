import { createHash } from "node:crypto";

/** Why there is no access token (Auth 2.0 §6.4). */
export type TokenFault =
  | "invalidRequest"
  | "invalidOrigin"
  | "missingAspect"
  | "invalidAspect"
  | "expiredAspect"
  | "unavailable";

/** An HTML document and the headers that it needs. */
export interface FramedDocument {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A document for an iframe that posts a message to its parent window, if that has the given origin.
 */
export const messagePage = (message: unknown, origin: string): FramedDocument =>
  scripted(`parent.postMessage(${inScript(message)},${inScript(origin)});`, "");

/** A document for a login window that is no longer needed and closes itself. `text` is HTML. */
export const closingPage = (text: string): FramedDocument => scripted("window.close();", text);

const scripted = (script: string, text: string): FramedDocument => ({
  html: `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>IIIF Auth</title>\n</head>\n<body>\n${text}<script>${script}</script>\n</body>\n</html>\n`,
  headers: {
    "content-security-policy": `default-src 'none'; script-src 'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  },
});

/** A value as JavaScript that cannot end the script element or begin a comment in it. */
const inScript = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
