import type { HttpManagement } from "../request/deps.ts";
import type { Exchange } from "../request/exchange.ts";

/** An authenticated request to the API with its body. */
export interface ApiRequest {
  readonly exchange: Exchange;
  readonly management: HttpManagement;
  /** Empty for a request without a body. */
  readonly body: Uint8Array;
  /** The part of the path that names the item, decoded. */
  readonly uuid: string;
  readonly showsSecrets: boolean;
}

/** A JSON response; no `body` means an empty one. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
