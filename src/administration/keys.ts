import { defineKeys } from "../config/keys.ts";

/** Keys of remembered tasks. */
export const taskKeys = defineKeys({
  "endpoint.api.max_tasks": {
    type: "integer",
    default: 1_000,
    min: 10,
    max: 100_000,
    doc: "Maximum number of tasks to remember, waiting and running ones included; the oldest finished ones are forgotten first. A restart forgets all.",
  },
});

/** Keys of remembered log entries. */
export const latestKeys = defineKeys({
  "log.application.latest": {
    type: "integer",
    default: 1_000,
    min: 0,
    max: 100_000,
    doc: "How many recent entries of the application log are kept in memory for the control panel; 0 for none.",
  },
});
