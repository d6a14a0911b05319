import { defineKeys } from "../config/keys.ts";

/** How long somebody stays logged in to the control panel. */
export const sessionKeys = defineKeys({
  "endpoint.admin.session_idle": {
    type: "seconds",
    default: 28_800,
    min: 60,
    max: 2_592_000,
    doc: "Seconds after the last request of a control panel until who is logged in has to log in again; an open panel asks all the time while it is seen.",
  },
  "endpoint.admin.session_length": {
    type: "seconds",
    default: 86_400,
    min: 60,
    max: 2_592_000,
    doc: "Seconds after which everybody has to log in to the control panel again. A restart of the server and a change of endpoint.admin.username or endpoint.admin.secret end all sessions at once.",
  },
});
