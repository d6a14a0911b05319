import { readFile } from "node:fs/promises";
import { familyOf } from "./memory.ts";

/**
 * How many milliseconds of processor time a process and its living descendants have used so far;
 * undefined when the system has no /proc.
 */
export const processorTimeOf = async (pid: number): Promise<number | undefined> => {
  const family = await familyOf(pid);
  const times = await Promise.all(family.map(timeOf));
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, time) => sum + time, 0);
};

const timeOf = async (pid: number): Promise<number | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  if (stat === undefined) return undefined;
  // The command stands in brackets and may hold anything, spaces and brackets included.
  const columns = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [user, system] = [Number(columns[11]), Number(columns[12])];
  return Number.isNaN(user + system) ? undefined : (user + system) * tick;
};

/** Linux counts in hundredths of a second towards programs, whatever it does inside. */
const tick = 10;
