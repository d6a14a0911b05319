import type { CallMessage } from "../administration/calls.ts";
import type { Fields, Logger } from "../core/log.ts";
import type { AccessEntry } from "../logging/access.ts";
import type { PictureNews, WorkerDeath } from "../service/quarantine.ts";

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
  | { readonly kind: "access"; readonly entries: readonly AccessEntry[] }
  | PictureNews
  | CallMessage;

/** What the supervisor tells a worker. */
export type FromSupervisor =
  | { readonly kind: "stop" }
  | CallMessage
  /** What workers, or what they read pictures with, were doing when they broke down. */
  | { readonly kind: "deaths"; readonly deaths: readonly WorkerDeath[] };

/** Whether something that came from the other process is a message of ours. */
export const isFromWorker = (message: unknown): message is FromWorker =>
  hasKind(message) && fromWorker.has(message.kind);

export const isFromSupervisor = (message: unknown): message is FromSupervisor =>
  hasKind(message) && ["stop", "deaths", "call", "answer"].includes(message.kind);

const fromWorker: ReadonlySet<string> = new Set([
  "alive",
  "ready",
  "entry",
  "access",
  "lost",
  "cleared",
  "cleared-of-all",
  "call",
  "answer",
]);

const hasKind = (message: unknown): message is { readonly kind: string } =>
  typeof message === "object" &&
  message !== null &&
  "kind" in message &&
  typeof message.kind === "string";
