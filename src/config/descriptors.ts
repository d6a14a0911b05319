import { readFileSync } from "node:fs";

/** Most descriptors that this process may have open; undefined where the system does not tell. */
export const descriptorLimit = (read: () => string = systemLimits): number | undefined => {
  // Node.js has raised the soft limit to the hard one by now, as far as the system lets it.
  const soft = /^Max open files\s+(\d+)/m.exec(read())?.[1];
  return soft === undefined ? undefined : Number(soft);
};

const systemLimits = (): string => {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    // Only Linux has it; where it is not there, Node.js raises the limit to thousands.
    return "";
  }
};
