export type { PoolLimits } from "./kind.ts";
export { MemoryReservations, residentMemory } from "./memory-reservations.ts";
export type { JobMessage, ThreadMessage } from "./messages.ts";
export { createPool, type Pool, threadBase } from "./pool.ts";
export { memoryReservations } from "./reservations.ts";
export { defineResource, Resources } from "./resources.ts";
export { answerJobs } from "./worker.ts";
