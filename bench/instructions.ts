import { spawn } from "node:child_process";
import { once } from "node:events";
import { familyOf } from "./memory.ts";

/**
 * How many instructions a process and its descendants retire while `work` runs, including those of
 * the kernel where `perf` may count them; undefined where there is no `perf`. Other load on the
 * machine hardly affects them.
 */
export const instructionsDuring = async (
  pid: number,
  work: () => Promise<void>,
): Promise<number | undefined> => {
  const pids = (await familyOf(pid)).join(",");
  const counter = spawn("perf", ["stat", "-x,", "-e", "instructions", "-p", pids], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  counter.stderr.on("data", (part: Buffer) => {
    said += part;
  });
  const ended = once(counter, "close").catch(() => undefined);
  // It attaches to all threads before it counts anything.
  await new Promise((resolve) => setTimeout(resolve, 300));
  await work();
  counter.kill("SIGINT");
  await ended;
  const count = Number(said.split(",")[0]);
  return count > 0 ? count : undefined;
};
