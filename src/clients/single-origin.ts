import { Pool } from "undici";
import { wholeBody } from "./body.ts";

/** A request to one server. */
export interface OriginRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Maximum bytes of the response's body. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Its response, whatever the status. */
export interface OriginResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Undefined where it is too long. */
  readonly body: Uint8Array | undefined;
}

/** Reusable connections to one configured server, wherever it is. */
export interface OriginClient {
  /**
   * Sends a request and reads its whole response; redirects are responses like any other. A request
   * that fails because a connection was closed is sent once more, so requests should be idempotent.
   * Throws what undici throws, and the signal's reason.
   */
  send(request: OriginRequest): Promise<OriginResponse>;
  close(): Promise<void>;
}

/** Connects to one origin, by at most so many connections, each with a time limit. */
export const createOriginClient = (
  origin: string,
  { connections, connectMs }: { readonly connections: number; readonly connectMs: number },
): OriginClient => {
  // Callers have deadlines.
  const pool = new Pool(origin, {
    connections,
    connect: { timeout: connectMs },
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const once = async (request: OriginRequest): Promise<OriginResponse> => {
    const { method, url, headers, body, maxBytes, signal } = request;
    const answer = await pool.request({
      path: url.pathname + url.search,
      method,
      headers: { ...headers },
      ...(body === undefined ? {} : { body }),
      signal,
    });
    const max = { max: maxBytes, signal };
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: await wholeBody(answer.body, max),
    };
  };
  return {
    async send(request) {
      try {
        return await once(request);
      } catch (error) {
        request.signal.throwIfAborted();
        if (!isClosed(error)) throw error;
        return once(request);
      }
    },
    close: () => pool.destroy(),
  };
};

/** Whether a connection was lost, as one that the server closes just when it is reused. */
const isClosed = (error: unknown): boolean => {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "EPIPE";
};
