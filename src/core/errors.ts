/** The ways a request can fail, named for what went wrong; HTTP has its own words, in http/errors.ts. */
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

/** Ends the request as a failure of the given kind; `cause` is for the log, never for the client. */
export const fail = (failure: Failure, message: string, cause?: unknown): never => {
  throw new ServerError(failure, message, cause === undefined ? undefined : { cause });
};
