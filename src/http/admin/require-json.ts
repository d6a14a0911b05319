import type { FastifyRequest } from "fastify";
import { fail } from "../../core/errors.ts";
import { quoted } from "../../core/identifier.ts";

/** Refuses bodies of other types as `unsupported`: forms of other sites can send some, and not this one. */
export const requireJson = ({ method, headers }: FastifyRequest): void => {
  if (method !== "POST" && method !== "PUT") return;
  const type = headers["content-type"] ?? "";
  if (/^application\/json\s*(;|$)/i.test(type)) return;
  fail("unsupported", `Content-Type: expected application/json, got ${quoted(type)}`);
};
