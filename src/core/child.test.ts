import { EventEmitter, once } from "node:events";
import { expect, test } from "vitest";
import { startChild } from "./child.ts";

const echo = new URL("../../test/children/echo", import.meta.url);
const starting = 30_000;

test("a process answers messages and gets its environment, without secrets", {
  timeout: starting,
}, async () => {
  const child = startChild(echo, ["one", "two"], { ...process.env, TOKEN: "secret", LANG: "C" });
  const [ready] = await once(child, "message");
  expect(ready).toEqual({ given: ["one", "two"], token: undefined, language: "C" });
  child.postMessage({ bytes: new Uint8Array([1, 2, 3]) });
  const [answer] = await once(child, "message");
  expect(answer).toEqual({ bytes: new Uint8Array([1, 2, 3]) });
  const ended = once(child, "exit");
  await child.terminate();
  expect(await ended).toEqual(["SIGKILL"]);
  await child.terminate();
  expect(child).toBeInstanceOf(EventEmitter);
});

test("messages to a dead process are reported by its exit alone", {
  timeout: starting,
}, async () => {
  const child = startChild(echo, [], process.env);
  await once(child, "message");
  child.postMessage("leave");
  expect(await once(child, "exit")).toEqual([3]);
  expect(() => child.postMessage("anything")).not.toThrow();
});
