import { ForbiddenAddress } from "./guarded-connection.ts";
import { BadRedirect } from "./http.ts";

/** Why a request to a web server failed. */
export type HttpTrouble = "forbidden" | "redirect" | "late" | "unreachable" | "broken";

const codeOf = (error: unknown): string => {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
};

const timeouts = /^UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT$|^ETIMEDOUT$/;
/** Failures that a retry does not help: unknown names, and certificates. */
const lasting = /^ENOTFOUND$|^ERR_TLS_|CERT|^UNABLE_TO_|^ERR_INVALID|^UND_ERR_INVALID/;

/** Classifies a request's error: `broken` may succeed on a retry, and so may `late`. */
export const httpTrouble = (error: unknown): HttpTrouble => {
  if (error instanceof ForbiddenAddress) return "forbidden";
  if (error instanceof BadRedirect) return "redirect";
  const code = codeOf(error);
  if (timeouts.test(code)) return "late";
  return lasting.test(code) ? "unreachable" : "broken";
};
