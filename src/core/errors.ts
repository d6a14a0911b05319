/**
 * The ways a request can fail, named for what went wrong; HTTP has its own words, in
 * http/errors.ts.
 */
export type Failure =
  | "malformed"
  | "unsupported"
  | "lengthy"
  | "unauthenticated"
  | "denied"
  | "missing"
  | "unimplemented"
  | "unreadable"
  | "upstream"
  | "busy"
  | "late"
  | "aborted"
  | "internal";

export class ServerError extends Error {
  readonly failure: Failure;
  constructor(failure: Failure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ServerError";
    this.failure = failure;
  }
}

/**
 * A failure that cost what decodes: a thread that broke down or ran out of its time, a program that
 * was killed.
 */
export class DecoderLost extends ServerError {
  constructor({ failure, message, cause }: ServerError) {
    super(failure, message, cause === undefined ? undefined : { cause });
  }
}

/**
 * Ends the request as a failure of the given kind; `cause` is for the log, never for the client.
 */
export const fail = (failure: Failure, message: string, cause?: unknown): never => {
  throw new ServerError(failure, message, cause === undefined ? undefined : { cause });
};
