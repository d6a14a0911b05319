import { defineKeys } from "../../config/keys.ts";

/** The administrative HTTP API. */
export const apiKeys = defineKeys({
  "endpoint.api.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether /status, /configuration and /tasks answer, by which programs look after the server.",
  },
  "endpoint.api.username": {
    type: "string",
    default: "",
    fileOnly: "credential",
    doc: "The name by which programs log in to the API (HTTP Basic). Nobody can while it is blank.",
  },
  "endpoint.api.secret": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    doc: "The password to it; it may hold a colon. Nobody can log in while it is blank.",
  },
  "endpoint.api.show_secrets": {
    type: "boolean",
    default: false,
    fileOnly: "disclosure",
    doc: "Whether `GET /configuration` tells secrets, as Cantaloupe does, rather than `(masked)` in their place.",
  },
});

/** The control panel. */
export const adminKeys = defineKeys({
  "endpoint.admin.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether the control panel is served at /admin.",
  },
  "endpoint.admin.username": {
    type: "string",
    default: "admin",
    blank: "",
    cantaloupe: "",
    fileOnly: "credential",
    doc: "The name by which people log in to the control panel. Nobody can while it is blank.",
  },
  "endpoint.admin.secret": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    doc: "The password to it. Nobody can log in while it is blank.",
  },
});
