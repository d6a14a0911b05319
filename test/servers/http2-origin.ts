import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whether the openssl program is here, which makes the certificate. */
export const opensslIsHere = spawnSync("openssl", ["version"]).status === 0;

/** A web server that speaks HTTP/2 over TLS. */
export interface Http2Origin {
  /** As in `https://localhost:8443`. */
  readonly base: string;
  /** The HTTP version of each request so far, as in `2.0`. */
  readonly versions: string[];
  /** How many HTTP/2 sessions were opened. */
  readonly sessions: number;
  /** What it does with a request before it responds; ends the request where it returns true. */
  interfere: (request: Http2ServerRequest, response: Http2ServerResponse) => boolean;
  close(): Promise<void>;
}

/**
 * Starts it on a free port, with a certificate of its own; it serves `bytes` under any path, by
 * ranges.
 */
export const startHttp2Origin = async (bytes: Uint8Array): Promise<Http2Origin> => {
  const open = new Set<Socket>();
  let sessions = 0;
  const server = createSecureServer(
    { ...(await certificate()), allowHTTP1: true },
    (request, response) => {
      origin.versions.push(request.httpVersion);
      if (origin.interfere(request, response)) return;
      const [, from = "0", to = ""] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
      const first = Number(from);
      const last = Math.min(bytes.length - 1, to === "" ? bytes.length - 1 : Number(to));
      response.writeHead(206, {
        etag: '"one"',
        "content-length": last - first + 1,
        "content-range": `bytes ${first}-${last}/${bytes.length}`,
      });
      response.end(bytes.subarray(first, last + 1));
    },
  );
  server.on("session", () => {
    sessions++;
  });
  // A session after GOAWAY keeps its socket open.
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin: Http2Origin = {
    base: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    versions: [],
    get sessions() {
      return sessions;
    },
    interfere: () => false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
  return origin;
};

const certificate = async (): Promise<{ readonly key: Buffer; readonly cert: Buffer }> => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-http2-"));
  try {
    const command =
      "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost";
    execFileSync("openssl", command.split(" "), { cwd: folder, stdio: "pipe" });
    return {
      key: await readFile(join(folder, "key.pem")),
      cert: await readFile(join(folder, "cert.pem")),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
