import { MemoryReservations } from "./memory-reservations.ts";
import { defineResource } from "./resources.ts";

/**
 * The memory that the threads and processes of a worker share; undefined where a command has them
 * to itself.
 */
export const memoryReservations = defineResource({
  create: ({ config, processors }) =>
    processors === undefined ? undefined : new MemoryReservations(config.shares.threads),
});
