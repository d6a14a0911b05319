import type { CallMessage } from "../administration/calls.ts";
import type { LogFields, Logger } from "../core/log.ts";
import type { AccessEntry } from "../logging/access.ts";
import type { ImageKnowledge, WorkerCrash } from "../service/quarantine.ts";
import type { HandedConnection } from "./handover.ts";

/** Messages from a worker to the supervisor. */
export type FromWorker =
  /** A heartbeat, with its number of open connections. */
  | { readonly kind: "alive"; readonly open: number }
  /** It accepts connections from now on. */
  | { readonly kind: "ready" }
  /** It accepts no more connections. */
  | { readonly kind: "leaving" }
  /** It has accepted a connection, and has so many open now. */
  | { readonly kind: "taken"; readonly id: number; readonly open: number }
  /** It has left a connection to others, or never got it. */
  | { readonly kind: "declined" | "missed"; readonly id: number }
  | {
      readonly kind: "entry";
      readonly level: keyof Logger;
      readonly message: string;
      readonly fields?: LogFields;
    }
  | { readonly kind: "access"; readonly entries: readonly AccessEntry[] }
  | ImageKnowledge
  | CallMessage;

/** Those about connections. */
export type AboutConnections = Extract<
  FromWorker,
  { readonly kind: "alive" | "leaving" | "taken" | "declined" | "missed" }
>;

export const isAboutConnections = (message: FromWorker): message is AboutConnections =>
  aboutConnections.has(message.kind);

/** Messages from the supervisor to a worker. */
export type FromSupervisor =
  | { readonly kind: "stop" }
  /** Accompanies a connection, unless its client has gone. */
  | ({ readonly kind: "connection" } & HandedConnection)
  /** Asks whether a connection that was sent before has arrived. */
  | { readonly kind: "asked"; readonly id: number }
  /** Asks it to close so many connections, each with a response. */
  | { readonly kind: "release"; readonly connections: number }
  | CallMessage
  /** What workers or their decoders were doing when they crashed. */
  | { readonly kind: "deaths"; readonly deaths: readonly WorkerCrash[] };

/** Whether a message from the other process is one of ours. */
export const isFromWorker = (message: unknown): message is FromWorker =>
  hasKind(message) && fromWorker.has(message.kind);

export const isFromSupervisor = (message: unknown): message is FromSupervisor =>
  hasKind(message) && fromSupervisor.has(message.kind);

const aboutConnections: ReadonlySet<string> = new Set<AboutConnections["kind"]>([
  "alive",
  "leaving",
  "taken",
  "declined",
  "missed",
]);

const fromWorker: ReadonlySet<string> = new Set<FromWorker["kind"]>([
  "alive",
  "ready",
  "leaving",
  "taken",
  "declined",
  "missed",
  "entry",
  "access",
  "lost",
  "cleared",
  "cleared-of-all",
  "call",
  "answer",
]);

const fromSupervisor: ReadonlySet<string> = new Set<FromSupervisor["kind"]>([
  "stop",
  "connection",
  "asked",
  "release",
  "deaths",
  "call",
  "answer",
]);

const hasKind = (message: unknown): message is { readonly kind: string } =>
  typeof message === "object" &&
  message !== null &&
  "kind" in message &&
  typeof message.kind === "string";
