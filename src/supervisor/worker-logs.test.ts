import { deserialize, serialize } from "node:v8";
import { describe, expect, it } from "vitest";
import { Config, type Snapshot } from "../config/store.ts";
import type { AccessEntry } from "../logging/access.ts";
import type { FromWorker } from "./messages.ts";
import { workerLogs } from "./worker-logs.ts";

const request: AccessEntry = {
  remote: "127.0.0.1",
  time: new Date(0),
  method: "GET",
  target: "/",
  protocol: "HTTP/1.1",
  status: 200,
  bytes: 1,
  milliseconds: 2,
};

/** A worker's logs, and what arrives at the supervisor, which accepts so many messages. */
const logsWith = (values: Snapshot, max = Number.POSITIVE_INFINITY) => {
  const arrived: FromWorker[] = [];
  const state = { max };
  const logs = workerLogs(new Config(values), {
    tell: (message) => {
      if (arrived.length >= state.max) return false;
      arrived.push(deserialize(serialize(message)));
      return true;
    },
  });
  return { logs, arrived, state };
};

describe("a worker's logs", () => {
  it("send only entries that some log takes", async () => {
    const { logs, arrived } = logsWith({ "log.application.level": "warn" });
    logs.application.info("not wanted");
    logs.application.warn("wanted");
    logs.access(request);
    await logs.close();
    expect(arrived).toEqual([{ kind: "entry", level: "warn", message: "wanted" }]);
  });

  it("send errors with their causes, and omit values that cannot be sent", async () => {
    const { logs, arrived } = logsWith({});
    const error = new Error("outer", { cause: new Error("inner") });
    logs.application.error("It failed", { error, call: () => 1, deep: { call: () => 1, kept: 2 } });
    await logs.close();
    expect(arrived[0]).toMatchObject({
      fields: { error: { message: "outer", cause: { message: "inner" } }, deep: { kept: 2 } },
    });
  });

  it("batch access entries, and send the last of them when they close", async () => {
    const { logs, arrived } = logsWith({ "log.access.ConsoleAppender.enabled": true });
    for (let n = 0; n < 450; n++) logs.access(request);
    await logs.close();
    const sizes = arrived.map((message) =>
      message.kind === "access" ? message.entries.length : 0,
    );
    expect(sizes).toEqual([200, 200, 50]);
  });

  it("report how many entries were lost, once there is room again", async () => {
    const { logs, arrived, state } = logsWith({ "log.access.ConsoleAppender.enabled": true }, 0);
    for (let n = 0; n < 200; n++) logs.access(request);
    state.max = 10;
    await logs.close();
    expect(arrived).toMatchObject([{ kind: "entry", level: "warn", fields: { lost: 200 } }]);
  });
});
