import type { IncomingHttpHeaders } from "node:http";
import { fail } from "../../core/errors.ts";
import { quoted } from "../../core/identifier.ts";
import { reads } from "./methods.ts";

interface Sending {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Refuses, as `unsupported`, a body of any type but JSON: forms of other sites can send some types,
 * but not this one. Requests without a body pass, and so do reads, whose body is ignored.
 */
export const requireJson = ({ method, headers }: Sending): void => {
  if (reads(method) || !hasBody(headers)) return;
  const type = headers["content-type"] ?? "";
  if (/^application\/json\s*(;|$)/i.test(type)) return;
  fail(
    "unsupported",
    `Content-Type: expected application/json with a body, got ${type === "" ? "none" : quoted(type)}. With curl: -H 'Content-Type: application/json'`,
  );
};

const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) !== 0;
