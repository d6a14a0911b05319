import { defineKeys } from "../config/keys.ts";

/** How many tasks are remembered. */
export const taskKeys = defineKeys({
  "endpoint.api.max_tasks": {
    type: "integer",
    default: 1_000,
    min: 10,
    max: 100_000,
    doc: "How many tasks are remembered, those included that wait or run; the oldest that are over are forgotten first. None is remembered over a restart.",
  },
});

/** What of the log is remembered for those who look after the server. */
export const latestKeys = defineKeys({
  "log.application.latest": {
    type: "integer",
    default: 1_000,
    min: 0,
    max: 100_000,
    doc: "How many of the latest entries of the application log are kept in memory for the control panel; 0 for none.",
  },
});
