import { spawn } from "node:child_process";
import { type Terminal, writeWarning } from "./command.ts";

/** Opens a URL in the user's browser; prints a message where that fails. */
export const openInBrowser = (address: string, terminal: Terminal): void => {
  const [program, ...args] = openerOn(process.platform, address);
  const complain = (reason: string): void =>
    writeWarning(terminal, `the browser could not be opened (${reason}); open ${address} yourself`);
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  child.on("error", ({ message }) => complain(message));
  child.on("exit", (code) => {
    if (code !== null && code !== 0) complain(`${program} ended with ${code}`);
  });
  // The server neither waits for the browser nor ends it.
  child.unref();
};

/** The program that opens URLs, with its arguments. */
const openerOn = (
  platform: NodeJS.Platform,
  address: string,
): readonly [string, ...(readonly string[])] => {
  if (platform === "darwin") return ["open", address];
  // `start` takes its first quoted argument as a title.
  if (platform === "win32") return ["cmd", "/c", "start", '""', address];
  return ["xdg-open", address];
};
