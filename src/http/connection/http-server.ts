import type { FastifyInstance } from "fastify";

/** A server as Fastify knows it. */
export type HttpServer = FastifyInstance;
