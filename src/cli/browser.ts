import { spawn } from "node:child_process";
import { type Terminal, tellWarning } from "./command.ts";

/** Opens an address in the user's browser; says so where that cannot be done. */
export const openInBrowser = (address: string, terminal: Terminal): void => {
  const [program, ...args] = openerOn(process.platform, address);
  const complain = (reason: string): void =>
    tellWarning(terminal, `the browser could not be opened (${reason}); open ${address} yourself`);
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  child.on("error", ({ message }) => complain(message));
  child.on("exit", (code) => {
    if (code !== null && code !== 0) complain(`${program} ended with ${code}`);
  });
  // The server neither waits for the browser nor ends it.
  child.unref();
};

/** The program that opens addresses, with its arguments. */
const openerOn = (
  platform: NodeJS.Platform,
  address: string,
): readonly [string, ...(readonly string[])] => {
  if (platform === "darwin") return ["open", address];
  // `start` takes its first quoted argument for a title.
  if (platform === "win32") return ["cmd", "/c", "start", '""', address];
  return ["xdg-open", address];
};
