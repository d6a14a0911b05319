import type { Logger } from "../../core/log.ts";
import type { RubyWebAnswer, RubyWebRequest } from "./web.ts";

/** What the thread that runs Ruby is started with. */
export interface RubyStart {
  readonly module: WebAssembly.Module;
  /** Absolute path of the script. */
  readonly path: string;
  /** Absolute paths of folders that it may read. */
  readonly folders: readonly string[];
  /**
   * One number of 32 bits: 1 once the answer to a request of the web was sent to the thread, which
   * waits for it.
   */
  readonly answered: SharedArrayBuffer;
}

/** A call, as the thread is sent it. */
export interface RubyCall {
  /** What Ruby is handed, as JSON. */
  readonly request: string;
}

/** The answer to a request of the web, as the thread is sent it. */
export interface RubyWebMessage {
  readonly web: RubyWebAnswer;
}

/** What Ruby raised. */
export interface RubyError {
  readonly class: string;
  readonly message: string;
  /** The lines it came through, the innermost first. */
  readonly lines: readonly string[];
}

/** What came of a call or of loading the script. */
export type RubyOutcome = { readonly value: unknown } | { readonly error: RubyError };

/** What loading a script tells. */
export interface LoadedRuby {
  /** Name of the class of what `CustomDelegate` is. */
  readonly kind: string;
  readonly methods: readonly string[];
  /** Absolute paths of files of its own that it loaded. */
  readonly files: readonly string[];
}

/** What the thread tells. */
export type RubyMessage =
  | { readonly kind: "loaded"; readonly outcome: RubyOutcome }
  | { readonly kind: "answer"; readonly outcome: RubyOutcome }
  | { readonly kind: "web"; readonly request: RubyWebRequest }
  | { readonly kind: "log"; readonly level: keyof Logger; readonly text: string };
