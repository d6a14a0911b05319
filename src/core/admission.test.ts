import { setMaxListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { Admission } from "./admission.ts";
import { ServerError } from "./errors.ts";

const never = new AbortController().signal;
setMaxListeners(0, never);

const gate = () => {
  let open: () => void = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
};

describe("admission", () => {
  it("runs no more at once than it may", async () => {
    const admission = new Admission(() => ({ running: 2, waiting: 100 }));
    let now = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 20 }, () =>
        admission.run(never, async () => {
          most = Math.max(most, ++now);
          await new Promise((resolve) => setImmediate(resolve));
          now--;
        }),
      ),
    );
    expect(most).toBe(2);
    expect(admission.load).toEqual({ running: 0, waiting: 0 });
  });

  it("refuses what finds the queue full, at once", async () => {
    const admission = new Admission(() => ({ running: 1, waiting: 1 }));
    const { opened, open } = gate();
    const first = admission.run(never, () => opened);
    const second = admission.run(never, async () => "second");
    await expect(admission.run(never, async () => "third")).rejects.toSatisfy(
      (error) => error instanceof ServerError && error.failure === "busy",
    );
    open();
    await first;
    expect(await second).toBe("second");
  });

  it("lets go of who leaves the queue", async () => {
    const admission = new Admission(() => ({ running: 1, waiting: 5 }));
    const { opened, open } = gate();
    const first = admission.run(never, () => opened);
    const leaving = new AbortController();
    const second = admission.run(leaving.signal, async () => "second");
    leaving.abort(new Error("left"));
    await expect(second).rejects.toThrow("left");
    expect(admission.load).toEqual({ running: 1, waiting: 0 });
    open();
    await first;
    expect(admission.load).toEqual({ running: 0, waiting: 0 });
  });

  it("goes on after a piece of work that failed", async () => {
    const admission = new Admission(() => ({ running: 1, waiting: 5 }));
    await expect(
      admission.run(never, async () => {
        throw new Error("damaged");
      }),
    ).rejects.toThrow("damaged");
    expect(await admission.run(never, async () => "next")).toBe("next");
  });
});
