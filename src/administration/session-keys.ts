import { defineKeys } from "../config/keys.ts";

/** Keys of control panel sessions. */
export const sessionKeys = defineKeys({
  "endpoint.admin.session_idle": {
    type: "seconds",
    default: 28_800,
    min: 60,
    max: 2_592_000,
    doc: "Seconds without a request from a control panel after which its user must log in again; an open and visible panel sends requests all the time.",
  },
  "endpoint.admin.session_length": {
    type: "seconds",
    default: 86_400,
    min: 60,
    max: 2_592_000,
    doc: "Seconds after which every user of the control panel must log in again. A restart of the server, or a change of endpoint.admin.username or endpoint.admin.secret, ends all sessions.",
  },
});
