import { verbs } from "../../administration/task.ts";
import { pyramidStates } from "./pyramids.ts";

const text = { type: "string" } as const;
const number = { type: "number" } as const;
const integer = { type: "integer" } as const;
const time = { type: "string", format: "date-time" } as const;
const timeOrNull = { type: ["string", "null"], format: "date-time" } as const;
const texts = { type: "array", items: text } as const;
const objects = { type: "array", items: { type: "object" } } as const;

const record = <const P extends Record<string, object>>(
  properties: P,
  optional: readonly string[] = [],
) => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

/** The schemas of the bodies that the API receives and sends, by name (OpenAPI 3.1, Schema Object). */
export const schemas = {
  Status: record({
    application: record({ version: text }),
    infoCache: record({ size: integer, maxSize: integer }),
    vm: record({
      vendor: text,
      name: text,
      version: text,
      info: text,
      numProcessors: integer,
      usedHeapBytes: integer,
      freeHeapBytes: integer,
      totalHeapBytes: integer,
      maxHeapBytes: integer,
      usedHeapPercent: { ...number, minimum: 0, maximum: 1 },
      uptimeMsec: integer,
    }),
    server: record({
      name: text,
      startedAt: time,
      uptimeMsec: integer,
      workersWanted: integer,
      workers: objects,
    }),
    lanes: record({
      small: { type: "object" },
      large: { type: "object" },
      counts: { type: "object" },
    }),
    caches: objects,
    sources: { type: "array", items: { $ref: "#/components/schemas/Source" } },
    formats: objects,
    warnings: texts,
  }),
  Source: record({
    kind: text,
    served: texts,
    origins: { type: "array", items: { $ref: "#/components/schemas/Origin" } },
  }),
  Origin: record({
    origin: text,
    breaker: { type: "string", enum: ["closed", "trying", "open"] },
    running: integer,
    waiting: integer,
    requests: integer,
    failures: integer,
    bytes: integer,
    averageMs: number,
  }),
  Configuration: { type: "object", additionalProperties: text },
  Changes: {
    type: "object",
    additionalProperties: {
      anyOf: [
        { type: ["string", "number", "boolean", "null"] },
        { type: "array", items: { type: ["string", "number", "boolean"] } },
      ],
    },
  },
  Changed: record({
    changed: texts,
    restart: texts,
    overridden: texts,
    warnings: texts,
    written: { type: "boolean" },
  }),
  TaskRequest: record({ verb: { type: "string", enum: verbs }, identifier: text }, ["identifier"]),
  Task: record(
    {
      uuid: { type: "string", format: "uuid" },
      verb: { type: "string", enum: verbs },
      identifier: text,
      status: { type: "string", enum: ["QUEUED", "RUNNING", "SUCCEEDED", "FAILED"] },
      done: { type: "boolean" },
      cancelled: { type: "boolean" },
      queued_at: time,
      started_at: timeOrNull,
      stopped_at: timeOrNull,
      progress: { ...number, minimum: 0, maximum: 1 },
      removed: record({ entries: integer }),
      pyramids: { $ref: "#/components/schemas/PyramidCounts" },
      exception: { type: ["string", "null"] },
    },
    ["identifier", "pyramids"],
  ),
  PyramidCounts: record(
    {
      images: integer,
      of: integer,
      made: integer,
      ready: integer,
      unneeded: integer,
      refused: integer,
      failed: integer,
      reasons: { type: "array", items: record({ identifier: text, reason: text }) },
    },
    ["of"],
  ),
  Pyramids: record({
    pyramids: { type: "array", items: { $ref: "#/components/schemas/Pyramid" } },
    next: { type: ["string", "null"] },
  }),
  Pyramid: record(
    {
      identifier: text,
      page: { ...integer, minimum: 1 },
      state: { type: "string", enum: pyramidStates },
      size: record({ width: integer, height: integer }),
      sourceBytes: integer,
      bytes: integer,
      made: time,
      used: time,
      reason: text,
      progress: { ...number, minimum: 0, maximum: 1 },
    },
    ["size", "sourceBytes", "bytes", "made", "used", "reason", "progress"],
  ),
  Health: record(
    {
      color: { type: "string", enum: ["GREEN", "YELLOW", "RED"] },
      message: { type: ["string", "null"] },
      possibleColors: texts,
      checks: objects,
    },
    ["checks"],
  ),
  Problem: record({ status: integer, message: text, requestId: text, faults: texts }, ["faults"]),
} as const;
