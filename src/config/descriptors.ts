import { readFileSync } from "node:fs";

/** The process's limit of file descriptors; undefined where the system does not report it. */
export const descriptorLimit = (read: () => string = systemLimits): number | undefined => {
  // Node.js has raised the soft limit to the hard one by now, as far as the system allows.
  const soft = /^Max open files\s+(\d+)/m.exec(read())?.[1];
  return soft === undefined ? undefined : Number(soft);
};

const systemLimits = (): string => {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    // Only Linux has it; elsewhere, Node.js raises the limit to thousands.
    return "";
  }
};
