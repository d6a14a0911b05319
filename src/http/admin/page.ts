import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { fail } from "../../core/errors.ts";
import { negotiate } from "../request/accept.ts";
import type { Exchange } from "../request/exchange.ts";
import { chooseCoding } from "./coding.ts";
import type { PanelFiles } from "./files.ts";
import { pagePolicy } from "./guards.ts";

/** The dependencies of the page's routes. */
export interface PageParts {
  readonly files: () => Promise<PanelFiles>;
  readonly exchangeOf: (request: FastifyRequest) => Pick<Exchange, "target">;
}

/**
 * Serves the page at `/admin` and `/admin/` and its files to everybody, since the login form is
 * part of it.
 */
export const registerPage = (room: FastifyInstance, parts: PageParts): void => {
  for (const url of ["/admin", "/admin/"])
    room.get(url, (request, reply) => sendPage(parts, request, reply));

  room.get<{ Params: { "*": string } }>("/admin/assets/*", async (request, reply) => {
    const file = (await parts.files()).assets.get(request.params["*"]);
    if (file === undefined) return fail("missing", "There is no file of this name here.");
    const { type, bodies } = file;
    const coding = chooseCoding(
      request.headers["accept-encoding"],
      (coding) => bodies[coding] !== undefined,
    );
    if (coding !== "identity") reply.header("content-encoding", coding);
    return reply
      .headers({
        // File names contain a content hash, so the bytes never change.
        "cache-control": "public, max-age=31536000, immutable",
        vary: "Accept-Encoding",
      })
      .type(type)
      .send(bodies[coding]);
  });
};

/** Sends the page with links relative to `…/admin/`, under whatever prefix a proxy adds. */
export const sendPage = async (
  { files, exchangeOf }: PageParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const isAbove = exchangeOf(request).target.path === "/admin";
  const { page } = await files();
  return reply
    .headers({
      "cache-control": "no-cache",
      "content-security-policy": pagePolicy,
      vary: "Accept, Authorization",
    })
    .type("text/html; charset=utf-8")
    .send(page(isAbove ? "admin/" : "./"));
};

/** Whether the request comes from a browser navigation rather than from a program. */
export const wantsPage = ({ method, headers }: FastifyRequest): boolean =>
  (method === "GET" || method === "HEAD") &&
  headers.authorization === undefined &&
  negotiate(headers.accept, ["application/json", "text/html"]) === "text/html";
