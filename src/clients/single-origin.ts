import { Pool } from "undici";
import { wholeBody } from "./body.ts";

/** A request to one server. */
export interface OriginRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The most bytes that the answer's body may have. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** Its answer, whatever the status. */
export interface OriginResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Undefined where it has too many bytes. */
  readonly body: Uint8Array | undefined;
}

/** Connections to one server that the configuration names, wherever it is; they are used again. */
export interface OriginClient {
  /**
   * Sends a request and reads its whole answer; redirects are answers as any other. What fails
   * because a connection was closed is sent once more: only requests that may be sent twice should
   * be sent. Throws what undici throws, and the signal's reason.
   */
  send(request: OriginRequest): Promise<OriginResponse>;
  close(): Promise<void>;
}

/** Connects to one origin, by so many connections at most, each made in so many milliseconds. */
export const createOriginClient = (
  origin: string,
  { connections, connectMs }: { readonly connections: number; readonly connectMs: number },
): OriginClient => {
  // Whoever asks has deadlines.
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

/**
 * Whether a connection went away, as one does that the server closes just when it is used again.
 */
const isClosed = (error: unknown): boolean => {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "EPIPE";
};
