import type { FastifyReply } from "fastify";
import type { PanelAnswer } from "./exchange.ts";
import { dataPolicy } from "./guards.ts";

/** The Cache-Control of responses that only authenticated users may see. */
export const noStore = "no-store";

/** Sends a response that must not be cached. */
export const sendJson = (reply: FastifyReply, { status, body }: PanelAnswer): FastifyReply => {
  reply.code(status).headers({ "cache-control": noStore, "content-security-policy": dataPolicy });
  if (body === undefined) return reply.send();
  return reply.type("application/json; charset=utf-8").send(JSON.stringify(body));
};
