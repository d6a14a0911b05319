import { defineKeys } from "./keys.ts";

/**
 * With less the server does not start: one worker would not have the memory for an ordinary image.
 */
export const minMemory = 512_000_000;

/** Keys of the total memory. */
export const memoryKeys = defineKeys({
  "memory.budget": {
    type: "bytes",
    default: null,
    min: minMemory,
    doc: "Memory for the whole server: all processes, their caches and renders. Blank for the limit of the container or service manager, or three quarters of a machine without such a limit. `vitrine explain --budget` shows how it is divided.",
    restart: true,
  },
});
