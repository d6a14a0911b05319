import type { FastifyInstance } from "fastify";

/** A server as Fastify's types see it. */
export type HttpServer = FastifyInstance;
