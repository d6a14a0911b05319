import type { CallMessage } from "../administration/calls.ts";
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
  | { readonly kind: "access"; readonly entries: readonly AccessEntry[] }
  /** What it reads pictures with broke down over this one, or took too long. */
  | { readonly kind: "lost"; readonly name: string }
  | CallMessage;

/** What the supervisor tells a worker. */
export type FromSupervisor =
  | { readonly kind: "stop" }
  | CallMessage
  /** What workers, or what they read pictures with, were doing when they broke down. */
  | { readonly kind: "deaths"; readonly deaths: readonly Death[] };

/** A worker that died, or a decoder that it lost. */
export interface Death {
  /** Names of the pictures that it was reading. */
  readonly names: readonly string[];
  /** Milliseconds since. */
  readonly ago: number;
}

/** Whether something that came from the other process is a message of ours. */
export const isFromWorker = (message: unknown): message is FromWorker =>
  hasKind(message) &&
  ["alive", "ready", "entry", "access", "lost", "call", "answer"].includes(message.kind);

export const isFromSupervisor = (message: unknown): message is FromSupervisor =>
  hasKind(message) && ["stop", "deaths", "call", "answer"].includes(message.kind);

const hasKind = (message: unknown): message is { readonly kind: string } =>
  typeof message === "object" &&
  message !== null &&
  "kind" in message &&
  typeof message.kind === "string";
