import { signatureHeader, signatureOf } from "./signature.ts";

/** A request to a delegate. */
export interface Sent {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Maximum bytes of its response. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The response. */
export interface DelegateResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The whole body; undefined where it is too long. */
  readonly body: Uint8Array | undefined;
}

/**
 * Sends a request without following redirects. Throws what the client throws, and the signal's
 * reason.
 */
export type Send = (request: Sent) => Promise<DelegateResponse>;

/** A request without a usable response. The message follows "The delegate" or a method's name. */
export class CallFault extends Error {
  /** Whether the delegate seems to be unavailable altogether. */
  readonly isDown: boolean;
  constructor(message: string, isDown: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = "CallFault";
    this.isDown = isDown;
  }
}

/** The parts of requests. */
export interface ServiceRequests {
  readonly send: Send;
  readonly base: URL;
  readonly secret: string;
  readonly seconds: number;
}

/** A JSON response, as text. */
export interface Answered {
  readonly text: string;
  readonly headers: DelegateResponse["headers"];
}

/** Maximum bytes of a response. */
const maxBytes = 1_000_000;

/**
 * Sends a signed request: GET without a body, else POST. `name` is the last segment of the path.
 * Throws `CallFault` where the response is not 200 with JSON within the deadline, and the signal's
 * reason.
 */
export const ask = async (
  { name, body }: { readonly name: string; readonly body?: string },
  { send, base, secret, seconds }: ServiceRequests,
  signal: AbortSignal,
): Promise<Answered> => {
  const url = new URL(base);
  url.pathname = `${base.pathname.replace(/\/$/, "")}/${name}`;
  const deadline = AbortSignal.timeout(seconds * 1_000);
  let received: DelegateResponse;
  try {
    received = await send({
      method: body === undefined ? "GET" : "POST",
      url,
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        "user-agent": "Vitrine",
        [signatureHeader]: signatureOf({ name, body: body ?? "" }, secret),
      },
      ...(body === undefined ? {} : { body }),
      maxBytes,
      signal: AbortSignal.any([signal, deadline]),
    });
  } catch (cause) {
    signal.throwIfAborted();
    if (deadline.aborted)
      throw new CallFault(`did not answer within ${seconds} s`, true, { cause });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CallFault(`could not be asked: ${reason || codeOf(cause)}`, true, { cause });
  }
  return checked(received);
};

const codeOf = (error: unknown): string =>
  String((error as { readonly code?: unknown })?.code ?? "no reason is known");

const checked = ({ status, headers, body }: DelegateResponse): Answered => {
  if (status >= 300 && status < 400)
    throw new CallFault(`answered with a redirect (status ${status}), and none is followed`, false);
  if (status !== 200)
    throw new CallFault(
      `should answer with status 200, but answered with ${status}`,
      gone.has(status),
    );
  if (body === undefined)
    throw new CallFault(`answered more than the ${maxBytes} bytes that are read`, false);
  const type = String(headers["content-type"] ?? "");
  if (!/^application\/json\s*(?:;|$)/i.test(type))
    throw new CallFault(
      `should answer application/json, but answered ${type === "" ? "no content type" : type.slice(0, 100)}`,
      false,
    );
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    JSON.parse(text);
    return { text, headers };
  } catch (cause) {
    throw new CallFault("returned something other than JSON in UTF-8", false, { cause });
  }
};

/** Statuses of proxies whose backend is down. */
const gone: ReadonlySet<number> = new Set([502, 503, 504]);
