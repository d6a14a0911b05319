import { schemas } from "./open-api-schemas.ts";
import { maxPyramids, pyramidStates, usualPyramids } from "./pyramids.ts";

/** What the description depends on. */
export interface OpenApiParts {
  /** The version of Vitrine, as in `0.1.0`. */
  readonly version: string;
  /** The public base URI, no trailing slash. */
  readonly base: string;
}

/**
 * The description of the API (OpenAPI 3.1).
 *
 * `@fastify/swagger` would assemble `paths` from the routes; operations and schemas, nearly all of
 * these files, would stay. Each worker would start 20 ms later. A test compares this with the routes.
 */
export const openApi = ({ version, base }: OpenApiParts) => ({
  openapi: "3.1.0",
  info: {
    title: "Vitrine",
    version,
    description: "A JSON API for monitoring and managing the image server.",
    license: { name: "Apache-2.0", identifier: "Apache-2.0" },
  },
  servers: [{ url: base }],
  security: [{ basic: [] }],
  paths: {
    "/status": {
      get: operation("status", "What the server is doing.", {
        "200": json("The status of all processes together.", reference("Status")),
      }),
    },
    "/configuration": {
      get: operation("configuration", "Every key that the configuration files set.", {
        "200": json("Values as text, by key. Secrets are masked.", reference("Configuration")),
      }),
      put: {
        ...operation("changeConfiguration", "Changes the keys that are given, all or none.", {
          "200": json("All were changed.", reference("Changed")),
          "400": problem("At least one is wrong; none was changed."),
          "403": problem(
            "The API is disabled, or at least one key can be changed in the file only; none was changed.",
          ),
          "413": problem("The body is too long."),
          "415": problem("The body is not declared as JSON."),
        }),
        requestBody: body(reference("Changes")),
      },
    },
    "/tasks": {
      get: operation("tasks", "The tasks that are remembered, the latest first.", {
        "200": json("Tasks.", { type: "array", items: reference("Task") }),
      }),
      post: {
        ...operation("beginTask", "Queues a task.", {
          "202": {
            description: "It is queued.",
            headers: {
              Location: {
                description: "The URL of the task.",
                schema: { type: "string", format: "uri" },
              },
            },
          },
          "400": problem("It is not a valid task."),
          "413": problem("The body is too long."),
          "415": problem("The body is not declared as JSON."),
          "503": problem("The queue of tasks is full."),
        }),
        requestBody: body(reference("TaskRequest")),
      },
    },
    "/tasks/{uuid}": {
      parameters: [
        { name: "uuid", in: "path", required: true, schema: { type: "string", format: "uuid" } },
      ],
      get: operation("task", "A task.", {
        "200": json("The current state of the task.", reference("Task")),
        "404": problem("The task is unknown, or no longer recorded."),
      }),
      delete: operation("cancelTask", "Cancels a task that is waiting or makes pyramids.", {
        "200": json("The task, cancelled, or unchanged if it had ended.", reference("Task")),
        "400": problem("The task is a running purge."),
        "404": problem("The task is unknown, or no longer recorded."),
      }),
    },
    "/pyramids": {
      parameters: [
        query("after", "The `next` of the previous page; omit it for the first page.", {
          type: "string",
        }),
        query("max", "Maximum number of pyramids in the response.", {
          ...{ type: "integer", minimum: 1, maximum: maxPyramids, default: usualPyramids },
        }),
        query("state", "Only those in this state.", { type: "string", enum: pyramidStates }),
      ],
      get: operation("pyramids", "Pages whose pyramid is made, being made, waiting or refused.", {
        "200": json(
          "A page of the list. Pyramids being made and waiting come first, on the first page only.",
          reference("Pyramids"),
        ),
        "400": problem("A wrong `after`, `max` or `state`."),
        "501": problem("Pyramids are switched off (pyramids.enabled)."),
      }),
    },
    "/health": { get: open("health", "Whether the server is well.", "500") },
    "/livez": { get: open("live", "Whether the process answers at all.", "503") },
    "/readyz": { get: open("ready", "Whether requests can be served.", "503") },
    "/openapi.json": {
      get: {
        operationId: "description",
        summary: "This description.",
        security: [],
        responses: {
          "200": json("OpenAPI 3.1.", { type: "object" }),
          "403": problem("The API is disabled."),
        },
      },
    },
  },
  components: {
    securitySchemes: { basic: { type: "http", scheme: "basic" } },
    schemas,
  },
});

const reference = (name: keyof typeof schemas) => ({ $ref: `#/components/schemas/${name}` });

const query = (name: string, description: string, schema: object) => ({
  ...{ name, in: "query", required: false, description, schema },
});

const json = (description: string, schema: object) => ({
  description,
  content: { "application/json": { schema } },
});

const problem = (description: string) => ({
  description,
  content: {
    "text/plain": { schema: { type: "string" } },
    "text/html": { schema: { type: "string" } },
    "application/json": { schema: reference("Problem") },
  },
});

const body = (schema: object) => ({
  required: true,
  content: { "application/json": { schema } },
});

const operation = (operationId: string, summary: string, responses: object) => ({
  operationId,
  summary,
  responses: {
    "401": problem("Without the right name and password."),
    "403": problem("The API is disabled, or a page of another site asked for a change."),
    "429": problem("Too many failed logins from this address; Retry-After says how long to wait."),
    ...responses,
  },
});

const open = (operationId: string, summary: string, bad: "500" | "503") => ({
  operationId,
  summary,
  security: [],
  responses: {
    "200": json("It is.", reference("Health")),
    "403": problem("It is disabled."),
    [bad]: json("It is not.", reference("Health")),
  },
});
