import type { AddressInfo } from "node:net";
import { variableOf } from "./config/environment.ts";
import type { Config } from "./config/store.ts";
import { fail } from "./core/errors.ts";
import { httpKeys } from "./http/keys.ts";
import type { HttpServer } from "./http/server.ts";

/** A server that does not listen yet; it can be asked without a socket through `server.inject`. */
export interface Listener {
  readonly server: HttpServer;
  readonly scheme: "http" | "https";
}

/** Listens as the configuration says; answers an address to open. Throws `internal` where it cannot. */
export const listen = async ({ server, scheme }: Listener, config: Config): Promise<string> => {
  const settings = config.view(httpKeys)();
  const host = settings[`${scheme}.host`];
  const backlog = settings["http.accept_queue_limit"];
  const wanted = settings[`${scheme}.port`];
  try {
    await server.listen({ host, port: wanted, ...(backlog ? { backlog } : {}) });
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "";
    return fail(
      "internal",
      `Cannot listen on ${host}, port ${wanted} (${listenTrouble[code] ?? code}). Set another with ${placesOf(scheme)}.`,
      cause,
    );
  }
  const { port } = server.server.address() as AddressInfo;
  return `${scheme}://${reachable(host)}:${port}/`;
};

/** Where the port of a listener can be set. */
const placesOf = (scheme: Listener["scheme"]): string => {
  const places = `${scheme}.host and ${scheme}.port, or ${variableOf(`${scheme}.port`)} in the environment`;
  return scheme === "http" ? `${places}, or --port` : places;
};

const listenTrouble: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program has it",
  EACCES: "this user may not have it",
  EADDRNOTAVAIL: "this machine does not have the address",
  ENOTFOUND: "there is no such host",
};

/** An address a person can open: "every address" is none. */
const reachable = (host: string): string => {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
};
