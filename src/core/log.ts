/** Additional facts of a log entry, as plain values. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The server's log; the message is a sentence, the facts are fields. */
export interface Logger {
  trace(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

const nothing = (): void => {};

/** A logger that discards everything, for tests and embedders. */
export const silent: Logger = {
  trace: nothing,
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
};
