import type { HttpManagement } from "../request/deps.ts";
import type { Exchange } from "../request/exchange.ts";

/** A request to the API, let in and with its body read. */
export interface ApiRequest {
  readonly exchange: Exchange;
  readonly management: HttpManagement;
  /** Empty where there is none. */
  readonly body: Uint8Array;
  /** What the path names, decoded. */
  readonly uuid: string;
  readonly showsSecrets: boolean;
}

/** An answer in JSON; a body left out is none at all. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
