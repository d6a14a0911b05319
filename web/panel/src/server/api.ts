/** Something went wrong with a request: the server refused it, or did not answer. */
export class RequestError extends Error {
  /** Of HTTP; 0 where no answer came. */
  readonly status: number;
  /** Seconds after which it may be tried again, where the server says so. */
  readonly retryAfter: number | undefined;
  /** The body of the answer, where it is JSON. */
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
  /** GET where it is left out. */
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  /** Becomes JSON. */
  readonly body?: unknown;
  /** Ends the request. */
  readonly signal?: AbortSignal;
  /** 20 s where it is left out; health checks and other long work say more. */
  readonly milliseconds?: number;
}

/**
 * Asks the server for JSON, by a path below `api/`; throws `RequestError`, or the signal's reason.
 */
export type Api = <T>(path: string, ask?: Ask) => Promise<T>;

/** What requests need of the rest of the panel. */
export interface ApiParts {
  /** Of the page, with a slash at its end. */
  readonly base: string;
  /** Of the session; undefined while nobody is logged in. */
  readonly token: () => string | undefined;
  /** Called when the server does not know the session any more. */
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

/** What to tell people of an error. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
