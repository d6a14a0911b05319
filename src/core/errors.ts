/** The kinds of errors of a request; http/request/errors.ts maps them to statuses. */
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
 * An error that ended a decoder: a thread that crashed or exceeded its time limit, a program that
 * was killed.
 */
export class DecoderLost extends ServerError {
  constructor({ failure, message, cause }: ServerError) {
    super(failure, message, cause === undefined ? undefined : { cause });
  }
}

/** A file has no format that can be read; it may not be an image. */
export class UnknownFormat extends ServerError {
  constructor(message: string) {
    super("unreadable", message);
  }
}

/** Throws an error of the given kind; `cause` is for the log, never for the client. */
export const fail = (failure: Failure, message: string, cause?: unknown): never => {
  throw new ServerError(failure, message, cause === undefined ? undefined : { cause });
};
