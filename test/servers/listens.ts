import { access, constants } from "node:fs/promises";
import { connect } from "node:net";

/** Whether a port of this machine accepts connections. */
export const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("error", () => resolve(false));
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
  });

/** The first of these paths that is a file this user may run. */
export const runnable = async (
  paths: readonly (string | undefined)[],
): Promise<string | undefined> => {
  for (const path of paths) {
    if (path === undefined || path === "") continue;
    const found = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return path;
  }
  return undefined;
};
