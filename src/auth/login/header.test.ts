import { describe, expect, test } from "vitest";
import { loginRequest } from "../../../test/login-request.ts";
import { createHeaderProvider } from "./header.ts";

const action = "https://example.org/auth/access";
const texts = { label: "Maps & plans" };
const step = async (headers: Readonly<Record<string, string>>) =>
  createHeaderProvider({ name: "X-Remote-User", groups: "X-Remote-Groups", texts }).step(
    loginRequest({ header: (name) => headers[name.toLowerCase()] }),
    action,
  );

describe("a header of a trusted proxy", () => {
  test("says who somebody is, and in which groups", async () => {
    expect(await step({ "x-remote-user": "ada", "x-remote-groups": "staff, maps;staff," })).toEqual(
      { kind: "done", identity: { name: "ada", groups: ["staff", "maps"] } },
    );
    expect(await step({ "x-remote-user": " ada " })).toEqual({
      kind: "done",
      identity: { name: "ada", groups: [] },
    });
  });

  test("is read as UTF-8, or else as Latin-1", async () => {
    const utf8 = Buffer.from("Zoë").toString("latin1");
    expect(await step({ "x-remote-user": utf8 })).toMatchObject({ identity: { name: "Zoë" } });
    expect(await step({ "x-remote-user": "Zoë" })).toMatchObject({ identity: { name: "Zoë" } });
  });

  test("that is missing or invalid lets nobody in", async () => {
    for (const headers of [
      {},
      { "x-remote-user": " " },
      { "x-remote-user": "a\u0007" },
      { "x-remote-user": "a".repeat(256) },
      { "x-remote-groups": "staff" },
    ])
      expect(await step(headers)).toMatchObject({
        kind: "page",
        status: 403,
        html: expect.stringContaining("Maps &#38; plans</title>"),
      });
  });

  test("with the groups is read only where it is configured", async () => {
    const provider = createHeaderProvider({ name: "x-user", texts });
    const request = loginRequest({ header: () => "ada" });
    expect(await provider.step(request, action)).toEqual({
      kind: "done",
      identity: { name: "ada", groups: [] },
    });
  });
});
