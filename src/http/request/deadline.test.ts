import { createServer, get, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ServerError } from "../../core/errors.ts";
import { Shutdown } from "../connection/shutdown.ts";
import { type Deadline, Deadlines } from "./deadline.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Starts a deadline for a real request whose response is still open. */
const open = async (
  seconds: number,
  ending?: Shutdown,
): Promise<{ deadline: Deadline; response: ServerResponse; leave: () => void }> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const arrived = new Promise<ServerResponse>((resolve) =>
    server.once("request", (_request, response) => resolve(response)),
  );
  const request = get({ port, host: "127.0.0.1" });
  request.on("error", () => undefined);
  const response = await arrived;
  const deadline = new Deadlines(ending).start(response, seconds);
  return { deadline, response, leave: () => request.destroy() };
};

const never = new Promise<never>(() => undefined);

const failure = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => (error instanceof ServerError ? error.failure : String(error)),
  );

describe("a deadline", () => {
  it("lets work finish in time, with its result or its own failure", async () => {
    const { deadline } = await open(60);
    await expect(deadline.race(Promise.resolve(7))).resolves.toBe(7);
    await expect(deadline.race(Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    expect(deadline.signal.aborted).toBe(false);
  });

  it("ends every race, and aborts the signal, when the client disconnects", async () => {
    const { deadline, leave } = await open(60);
    const { signal } = deadline;
    const races = [failure(deadline.race(never)), failure(deadline.race(never))];
    leave();
    expect(await Promise.all(races)).toEqual(["aborted", "aborted"]);
    expect(signal.reason).toMatchObject({ failure: "aborted" });
  });

  it("has an aborted signal for callers that request it afterwards", async () => {
    const { deadline, leave } = await open(60);
    const raced = failure(deadline.race(never));
    leave();
    await raced;
    expect(deadline.signal.aborted).toBe(true);
    expect(await failure(deadline.race(Promise.resolve(7)))).toBe("aborted");
  });

  it("passes after its seconds, or when the server gives up, whichever is first", async () => {
    const late = await open(0.01);
    expect(await failure(late.deadline.race(never))).toBe("late");
    const ending = new Shutdown();
    const given = await open(60, ending);
    const raced = failure(given.deadline.race(never));
    ending.giveUp();
    expect(await raced).toBe("busy");
    given.leave();
    expect(given.deadline.signal.reason).toMatchObject({ failure: "busy" });
  });

  it("expires separately for each of several requests", async () => {
    const deadlines = new Deadlines();
    const [long, first, second] = [await open(60), await open(60), await open(60)];
    const raced = [
      failure(deadlines.start(first.response, 0.03).race(never)),
      failure(deadlines.start(second.response, 0.01).race(never)),
    ];
    const kept = deadlines.start(long.response, 60);
    expect(await Promise.all(raced)).toEqual(["late", "late"]);
    expect(kept.reason).toBeUndefined();
  });

  it("that begins after the client disconnected has passed, and is not retained", async () => {
    const { response, leave } = await open(60);
    const closed = new Promise((resolve) => response.once("close", resolve));
    leave();
    await closed;
    const ending = new Shutdown();
    const deadline = new Deadlines(ending).start(response, 60);
    expect(await failure(deadline.race(never))).toBe("aborted");
    response.shouldKeepAlive = true;
    ending.begin();
    expect(response.shouldKeepAlive).toBe(true);
  });

  it("has no effect once the response is sent", async () => {
    const { deadline, response } = await open(60);
    const closed = new Promise((resolve) => response.once("close", resolve));
    response.end("whole");
    await closed;
    expect(deadline.signal.aborted).toBe(false);
  });
});
