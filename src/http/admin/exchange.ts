import type { CurrentPolicy } from "../../access/policy.ts";
import type { HttpManagement } from "../request/deps.ts";
import type { Exchange } from "../request/exchange.ts";

/** An authenticated request of the panel with its body. */
export interface PanelRequest {
  readonly exchange: Exchange;
  readonly management: HttpManagement;
  /** Empty for a request without a body. */
  readonly body: Uint8Array;
  /** The raw path below the route's own. */
  readonly rest: readonly string[];
  /** The identifier of the image that a raw segment names. */
  readonly imageOf: (segment: string) => string | Promise<string>;
  /** Access rules and signatures; absent where none are configured. */
  readonly policy: CurrentPolicy | undefined;
  /** Whether a delegate is configured. */
  readonly delegate: boolean;
}

/** A JSON response; no `body` means an empty one. */
export interface PanelAnswer {
  readonly status: number;
  readonly body?: unknown;
}

/** Handles a request of the panel. */
export type Answering = (request: PanelRequest) => Promise<PanelAnswer>;
