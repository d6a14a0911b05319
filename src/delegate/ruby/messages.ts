import type { Logger } from "../../core/log.ts";
import type { RubyWebAnswer, RubyWebRequest } from "./web.ts";

/** The data that a thread running Ruby is started with. */
export interface RubyStart {
  readonly module: WebAssembly.Module;
  /** Absolute path of the script. */
  readonly path: string;
  /** Absolute paths of readable folders. */
  readonly folders: readonly string[];
  /**
   * One 32-bit number: 1 once the response to an HTTP request was sent to the thread, which waits
   * for it.
   */
  readonly answered: SharedArrayBuffer;
}

/** A call, as sent to the thread. */
export interface RubyCall {
  /** The arguments as JSON. */
  readonly request: string;
}

/** The response to an HTTP request, as sent to the thread. */
export interface RubyWebMessage {
  readonly web: RubyWebAnswer;
}

/** A Ruby exception. */
export interface RubyError {
  readonly class: string;
  readonly message: string;
  /** Its backtrace, innermost line first. */
  readonly lines: readonly string[];
}

/** The result of a call or of loading the script. */
export type RubyOutcome = { readonly value: unknown } | { readonly error: RubyError };

/** The result of loading a script. */
export interface LoadedRuby {
  /** Name of the class of `CustomDelegate`. */
  readonly kind: string;
  readonly methods: readonly string[];
  /** Absolute paths of its own files that it loaded. */
  readonly files: readonly string[];
}

/** Messages of the thread. */
export type RubyMessage =
  | { readonly kind: "loaded"; readonly outcome: RubyOutcome }
  | { readonly kind: "answer"; readonly outcome: RubyOutcome }
  | { readonly kind: "web"; readonly request: RubyWebRequest }
  | { readonly kind: "log"; readonly level: keyof Logger; readonly text: string };
