import { defineKeys } from "../../config/keys.ts";

/** Keys of the administrative HTTP API. */
export const apiKeys = defineKeys({
  "endpoint.api.enabled": {
    type: "boolean",
    default: false,
    doc: "Whether the HTTP API (/status, /configuration, /tasks) is served, a JSON API for monitoring and managing a running server.",
  },
  "endpoint.api.username": {
    type: "string",
    default: "",
    fileOnly: "credential",
    doc: "User name for the API (HTTP Basic). Nobody can log in while it is blank.",
  },
  "endpoint.api.secret": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    doc: "Password for the API; it may contain a colon. Nobody can log in while it is blank.",
  },
  "endpoint.api.show_secrets": {
    type: "boolean",
    default: false,
    fileOnly: "disclosure",
    doc: "Whether `GET /configuration` shows secrets, like Cantaloupe, instead of `(masked)`.",
  },
});

/** Keys of the control panel. */
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
    doc: "User name for the control panel. Nobody can log in while it is blank.",
  },
  "endpoint.admin.secret": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    doc: "Password for the control panel. Nobody can log in while it is blank.",
  },
});
