import { access, copyFile, link, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve, sep } from "node:path";
import { freePort, type Running, startServer } from "./rivals/server.ts";

/** The server as it is built, on a folder and a configuration of its own. */
export interface OwnServer extends Pick<Running, "base" | "pid"> {
  /** Ends it and removes its folder. */
  remove(): Promise<void>;
}

export interface OwnServerOptions {
  /** `dist/cli/main.js` of the build. */
  readonly main: string;
  /** The names to serve images under, and the files they are. */
  readonly pictures: Readonly<Record<string, string>>;
  /** Lines of the configuration file beside those that say where it serves what. */
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  /** Any free one when absent. */
  readonly port?: number | undefined;
  /** What stands before the command, such as a program that bounds what it may take. */
  readonly before?: readonly string[];
  /** Is given what the server says. */
  readonly onText?: (text: string) => void;
}

/** Starts the built server on images of this machine, and waits until it answers. */
export const startOwn = async (options: OwnServerOptions): Promise<OwnServer> => {
  const main = resolve(options.main);
  await access(main).catch(() => {
    throw new Error(`Expected a built server at ${main}; 'npm run build' makes it.`);
  });
  const folder = await mkdtemp(join(tmpdir(), "vitrine-bench-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const pictures = join(folder, "pictures");
    await mkdir(pictures);
    for (const [name, file] of Object.entries(options.pictures))
      await putIn(file, join(pictures, name));
    const port = options.port ?? (await freePort());
    const config = join(folder, "vitrine.properties");
    const lines = Object.entries({
      "http.host": "127.0.0.1",
      "http.port": port,
      "FilesystemSource.BasicLookupStrategy.path_prefix": pictures + sep,
      ...options.settings,
    });
    await writeFile(config, lines.map(([key, value]) => `${key} = ${value}\n`).join(""));
    const [sample] = Object.keys(options.pictures);
    if (sample === undefined) throw new Error("Expected at least one picture to serve");
    const [program = process.execPath, ...args] = [
      ...(options.before ?? []),
      process.execPath,
      ...[main, "serve", "--config", config],
    ];
    const { base, pid, stop } = await startServer("vitrine", [program, ...args], {
      port,
      prefix: "/iiif/3",
      setup: { folder, pictures, sample, processes: 1 },
      ...(options.onText ? { onText: options.onText } : {}),
    });
    return {
      base,
      pid,
      remove: async () => {
        await stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
};

/** A second name of the file where the file system has that, else a copy. */
const putIn = (file: string, path: string): Promise<void> =>
  link(file, path).catch(() => copyFile(file, path));
