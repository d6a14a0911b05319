import type { Fields, Logger } from "../core/log.ts";
import type { AccessEntry } from "../logging/access.ts";

/** What a worker tells the supervisor. */
export type FromWorker =
  | { readonly kind: "alive" }
  | { readonly kind: "ready"; readonly addresses: readonly string[] }
  | {
      readonly kind: "entry";
      readonly level: keyof Logger;
      readonly message: string;
      readonly fields?: Fields;
    }
  | { readonly kind: "access"; readonly entries: readonly AccessEntry[] };

/** What the supervisor tells a worker. */
export type FromSupervisor = { readonly kind: "stop" };

/** Whether something that came from the other process is a message of ours. */
export const isFromWorker = (message: unknown): message is FromWorker =>
  hasKind(message) && ["alive", "ready", "entry", "access"].includes(message.kind);

export const isFromSupervisor = (message: unknown): message is FromSupervisor =>
  hasKind(message) && message.kind === "stop";

const hasKind = (message: unknown): message is { readonly kind: string } =>
  typeof message === "object" &&
  message !== null &&
  "kind" in message &&
  typeof message.kind === "string";
