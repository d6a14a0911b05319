import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import type { Converter } from "../conversion/converter.ts";

/** Kills a process that exceeds its memory limit. Linux only. */
export const watchMemory = (
  converter: Pick<Converter, "pid" | "kill">,
  maxBytes: number,
): { readonly exceeded: boolean; stop(): void } => {
  const stop = new AbortController();
  const watch = { exceeded: false, stop: () => stop.abort() };
  const look = async (): Promise<void> => {
    for (;;) {
      await pause(lookMs, undefined, { signal: stop.signal });
      const bytes = await residentBytes(converter.pid);
      if (bytes === undefined || bytes <= maxBytes) continue;
      watch.exceeded = true;
      await converter.kill();
      return;
    }
  };
  // Ends by the abort.
  look().catch(() => undefined);
  return watch;
};

const lookMs = 250;

/** Memory of a process without mapped files; undefined if the system does not report it. */
export const residentBytes = async (pid: number | undefined): Promise<number | undefined> => {
  if (pid === undefined) return undefined;
  const status = await readFile(`/proc/${pid}/status`, "latin1").catch(() => "");
  const kilobytes = Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1]);
  return Number.isFinite(kilobytes) ? kilobytes * 1_024 : undefined;
};
