/** A request of Ruby's `Net::HTTP`. */
export interface RubyWebRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Base64. */
  readonly body: string | null;
  /** Its own time limit, in seconds; null for none. */
  readonly seconds: number | null;
}

/** The result for Ruby: a response whatever its status, or why there is none. */
export type RubyWebAnswer =
  | {
      readonly status: number;
      readonly reason: string;
      readonly headers: readonly (readonly [string, string])[];
      /** Base64. */
      readonly body: string;
    }
  | { readonly failure: "late" | "unreachable" | "refused"; readonly message: string };

/** Sends a request for Ruby. Never rejects: errors are part of the result. */
export type AskWeb = (request: RubyWebRequest, signal: AbortSignal) => Promise<RubyWebAnswer>;
