import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { Counting } from "../../administration/counting.ts";
import { silent } from "../../core/log.ts";
import { Timings } from "../../core/timings.ts";
import { recordAccess } from "./access.ts";
import { parseTarget } from "./target.ts";

/** What was counted and logged for requests with the given statuses. */
const recorded = (asked: readonly (readonly [target: string, status: number])[]) => {
  const counting = new Counting();
  const logged: number[] = [];
  for (const [raw, statusCode] of asked) {
    const response = Object.assign(new EventEmitter(), { statusCode });
    const target = parseTarget(raw);
    recordAccess(
      {
        request: { method: "GET", headers: {}, httpVersion: "1.1" },
        response,
        id: "1",
        target,
        timings: new Timings(),
        client: "",
        identifier: () => undefined,
        bytes: () => 0,
      } as never,
      {
        access: ({ status }) => logged.push(status),
        log: silent,
        management: {
          requests: {
            note: (kind: 0 | 1 | 2, status: number, ms: number) => counting.note(kind, status, ms),
            noteReading() {},
          },
        } as never,
      },
      () => ({ "log.slow_request": 0 }) as never,
    );
    response.emit("finish");
    response.emit("close");
  }
  return { counted: counting.requests.reduce((sum, count) => sum + count, 0), logged };
};

test("the control panel's requests are logged but not counted", () => {
  expect(
    recorded([
      ["/admin/", 200],
      ["/admin/api/figures", 200],
      ["/admin/assets/index.js", 304],
    ]),
  ).toEqual({ counted: 0, logged: [200, 200, 304] });
});

test("refused requests to the control panel are counted, like everything else", () => {
  expect(
    recorded([
      ["/admin/api/figures", 401],
      ["/admin", 403],
      ["/status", 200],
      ["/administrators", 200],
      ["/iiif/3/a/full/max/0/default.jpg", 200],
      ["/iiif/3/a/info.json", 200],
    ]).counted,
  ).toBe(6);
});
