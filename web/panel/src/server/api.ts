/** A failed request: the server refused it, or did not respond. */
export class RequestError extends Error {
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** Seconds after which to retry, where the server says so. */
  readonly retryAfter: number | undefined;
  /** The body of the response, where it is JSON. */
  readonly body: unknown;

  constructor(message: string, about: { status: number; retryAfter?: number; body?: unknown }) {
    super(message);
    this.name = "RequestError";
    this.status = about.status;
    this.retryAfter = about.retryAfter;
    this.body = about.body;
  }
}

/** A request to the server. */
export interface Ask {
  /** GET by default. */
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Aborts the request. */
  readonly signal?: AbortSignal;
  /** Time limit; 20 s by default; health checks and other long work need more. */
  readonly milliseconds?: number;
}

/** Requests JSON, by a path below `api/`; throws `RequestError`, or the signal's reason. */
export type Api = <T>(path: string, ask?: Ask) => Promise<T>;

/** The parts of the panel that requests use. */
export interface ApiParts {
  /** URL of the page, with a trailing slash. */
  readonly base: string;
  /** Token of the session; undefined while nobody is logged in. */
  readonly token: () => string | undefined;
  /** Called when the server no longer knows the session. */
  readonly onLogout: () => void;
  readonly fetch: typeof globalThis.fetch;
}

export const createApi =
  ({ base, token, onLogout, fetch }: ApiParts): Api =>
  async <T>(path: string, { method = "GET", body, signal, milliseconds = 20_000 }: Ask = {}) => {
    const deadline = AbortSignal.timeout(milliseconds);
    const known = token();
    const answer = await fetch(new URL(`api/${path}`, base), {
      method,
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(method === "GET" || known === undefined ? {} : { "x-vitrine-token": known }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      credentials: "same-origin",
      cache: "no-store",
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    }).catch((error: unknown) => {
      if (signal?.aborted) throw signal.reason;
      throw new RequestError(
        deadline.aborted
          ? `The server did not answer within ${milliseconds / 1000} s.`
          : "The server cannot be reached.",
        { status: 0, body: error },
      );
    });
    const said: unknown = await answer.json().catch(() => undefined);
    if (answer.ok) return said as T;
    if (answer.status === 401 && path !== "session") onLogout();
    throw refusal(answer, said);
  };

const refusal = (answer: Response, body: unknown): RequestError => {
  const fields = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const told = [fields["detail"], fields["message"], fields["title"]].find(
    (text) => typeof text === "string" && text !== "",
  );
  const wait = Number(fields["retryAfter"] ?? answer.headers.get("retry-after") ?? Number.NaN);
  return new RequestError(
    typeof told === "string" ? told : `The server answered ${answer.status}.`,
    { status: answer.status, body, ...(wait > 0 ? { retryAfter: wait } : {}) },
  );
};

/** The message of an error for users. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
