import { defineKeys } from "./keys.ts";

/** With less the server does not start: one worker would not have what a picture of ordinary size takes. */
export const minMemory = 512_000_000;

/** How much memory there is for everything. */
export const memoryKeys = defineKeys({
  "memory.budget": {
    type: "bytes",
    default: null,
    min: minMemory,
    doc: "How much memory the whole server may take: all processes, their caches and what they draw. Nothing for all that the container or service manager allows, or for three quarters of a machine without such a limit. `vitrine explain --budget` shows how it is divided.",
    restart: true,
  },
});
