import type { CurrentPolicy } from "../../access/policy.ts";
import type { HttpManagement } from "../request/deps.ts";
import type { Exchange } from "../request/exchange.ts";

/** A request of the panel, let in and with its body read. */
export interface PanelRequest {
  readonly exchange: Exchange;
  readonly management: HttpManagement;
  /** Empty where there is none. */
  readonly body: Uint8Array;
  /** What follows the route's own path, as it came. */
  readonly rest: readonly string[];
  /** The identifier of the image that a raw segment names. */
  readonly imageOf: (segment: string) => string | Promise<string>;
  /** Access rules and signatures; absent where nobody asks for any. */
  readonly policy: CurrentPolicy | undefined;
  /** Whether there is a delegate. */
  readonly delegate: boolean;
}

/** An answer in JSON; a body left out is none at all. */
export interface PanelAnswer {
  readonly status: number;
  readonly body?: unknown;
}

/** Returns a request of the panel. */
export type Answering = (request: PanelRequest) => Promise<PanelAnswer>;
