import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { variableOf } from "../config/environment.ts";
import type { Config } from "../config/store.ts";
import { fail } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { loggedInSum } from "../core/log-summary.ts";
import type { HttpServer } from "../http/connection/http-server.ts";
import { httpKeys } from "../http/connection/keys.ts";
import type { Scheme } from "../supervisor/handover.ts";
import type { Ports } from "../supervisor/supervision.ts";

/** A server that does not listen itself; `server.inject` sends requests without a socket. */
export interface Listener {
  readonly server: HttpServer;
  readonly scheme: Scheme;
}

/** The dependencies of listening. */
export interface Listening {
  readonly log: Logger;
  /** Whether nothing may be read from connections here, since another process is to read them. */
  readonly paused: boolean;
  readonly arrived: (connection: Socket, scheme: Scheme) => void;
}

/** Listens as configured. Throws `internal` where it cannot, and listens nowhere then. */
export const openPorts = async (config: Config, listening: Listening): Promise<Ports> => {
  const settings = config.view(httpKeys)();
  const schemes = (["http", "https"] as const).filter((scheme) => settings[`${scheme}.enabled`]);
  const opened: { readonly address: string; readonly servers: readonly Server[] }[] = [];
  const close = (): void => {
    for (const { servers } of opened) for (const server of servers) server.close();
  };
  try {
    for (const scheme of schemes) opened.push(await openPort(scheme, config, listening));
  } catch (error) {
    close();
    throw error;
  }
  return { addresses: opened.map(({ address }) => address), close };
};

const openPort = async (scheme: Scheme, config: Config, listening: Listening) => {
  const settings = config.view(httpKeys)();
  const host = settings[`${scheme}.host`];
  const wanted = settings[`${scheme}.port`];
  const backlog = settings["http.accept_queue_limit"];
  const listen = async (at: string, port: number): Promise<Server> => {
    const server = createServer({
      allowHalfOpen: scheme === "http",
      noDelay: true,
      pauseOnConnect: listening.paused,
    });
    server.listen({ host: at, port, ...(backlog ? { backlog } : {}) });
    await once(server, "listening");
    return accepting(server, scheme, listening);
  };
  try {
    const [first = host, ...others] = await namedBy(host);
    const server = await listen(first, wanted);
    const { port } = server.address() as AddressInfo;
    // On a machine with only one kind of address, that one is enough.
    const further = await Promise.allSettled(others.map((other) => listen(other, port)));
    const also = further.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    return { address: `${scheme}://${reachable(host)}:${port}/`, servers: [server, ...also] };
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? "";
    return fail(
      "internal",
      `Cannot listen on ${host}, port ${wanted} (${listenTrouble[code] ?? code}). Set another with ${placesOf(scheme)}.`,
      cause,
    );
  }
};

/** The addresses to listen on; `localhost` often has one of each kind. */
const namedBy = async (host: string): Promise<readonly string[]> => {
  if (host !== "localhost") return [host];
  const found = await lookup(host, { all: true });
  return [...new Set(found.map(({ address }) => address))];
};

const accepting = (server: Server, scheme: Scheme, { log, arrived }: Listening): Server => {
  server.on("connection", (connection: Socket) => {
    connection.on("error", ignored);
    arrived(connection, scheme);
  });
  let latest = "";
  const failed = loggedInSum<"failed">(({ failed }) =>
    log.error("Connections could not be accepted", { times: failed, error: latest }),
  );
  server.on("error", ({ message }) => {
    latest = message;
    failed("failed");
  });
  return server;
};

/** Errors of a connection are handled by its reader. */
const ignored = (): void => {};

/** The keys that set a listener's port. */
const placesOf = (scheme: Scheme): string => {
  const places = `${scheme}.host and ${scheme}.port, or ${variableOf(`${scheme}.port`)} in the environment`;
  return scheme === "http" ? `${places}, or --port` : places;
};

const listenTrouble: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program has it",
  EACCES: "this user may not have it",
  EADDRNOTAVAIL: "this machine does not have the address",
  ENOTFOUND: "there is no such host",
};

/** A URL that a person can open, since a wildcard address is none. */
const reachable = (host: string): string => {
  if (host === "0.0.0.0" || host === "::") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
};
