import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** A database of its own on a free port of 127.0.0.1, in a folder of its own. */
export interface Database {
  readonly port: number;
  readonly folder: string;
  readonly pid: number;
  /** Kills it, like a crash. */
  kill(): Promise<void>;
  /** Restarts it on its data, and waits until it responds. */
  restart(): Promise<void>;
  /** Ends it and removes its folder. */
  remove(): Promise<void>;
}

/** How a kind of database is set up and started. */
export interface DatabaseProgram {
  readonly name: string;
  readonly command: string;
  /** The user it runs as where the tests run as root. */
  readonly user?: string;
  args(place: DatabasePlace): readonly string[];
  /** Initialises the folder before the first start. */
  prepare?(place: DatabasePlace, run: Run): Promise<void>;
  /** Whether it responds. */
  answers(place: DatabasePlace): Promise<boolean>;
}

export interface DatabasePlace {
  readonly folder: string;
  readonly port: number;
}

/** Runs a program to its end as the user of the database. */
export type Run = (command: string, args: readonly string[]) => Promise<void>;

const startMs = 40_000;

/** The path of a program of this name, in the folders of the environment and in further ones. */
export const findProgram = (name: string, further: readonly string[] = []): string | undefined =>
  [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", ...further]
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

/** Sets a database up, starts it and waits until it answers. */
export const startDatabase = async (program: DatabaseProgram): Promise<Database> => {
  const folder = await mkdtemp(join(tmpdir(), `vitrine-${program.name}-`));
  const place = { folder, port: await freePort() };
  const as = program.user === undefined ? {} : accountOf(program.user);
  if (as.uid !== undefined && as.gid !== undefined) await chown(folder, as.uid, as.gid);
  const options = { cwd: folder, stdio: "pipe", ...as } as const;
  const run: Run = async (command, args) => {
    const child = spawn(command, args, options);
    const said = listen(child);
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`${command} ended with ${code}: ${said()}`);
  };
  await program.prepare?.(place, run);
  let child: ChildProcess | undefined;

  const start = async (): Promise<void> => {
    const started = spawn(program.command, program.args(place), options);
    child = started;
    const said = listen(started);
    const last = performance.now() + startMs;
    while (!(await program.answers(place))) {
      if (isOver(started)) throw new Error(`${program.name} ended at once. It said: ${said()}`);
      if (performance.now() > last) throw new Error(`${program.name} is not there: ${said()}`);
      await pause(50);
    }
  };
  const kill = async (): Promise<void> => {
    if (child === undefined || isOver(child)) return;
    const ended = once(child, "close");
    child.kill("SIGKILL");
    await ended;
  };
  const remove = async (): Promise<void> => {
    await kill();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };

  try {
    await start();
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    ...place,
    get pid() {
      return child?.pid ?? 0;
    },
    kill,
    restart: start,
    remove,
  };
};

const listen = ({ stdout, stderr }: ChildProcess): (() => string) => {
  let said = "";
  for (const stream of [stdout, stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-4_000);
    });
  return () => said;
};

const isOver = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;

/** The account a database runs as: some refuse to run as root. */
const accountOf = (user: string): { readonly uid?: number; readonly gid?: number } => {
  if (process.getuid?.() !== 0) return {};
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith(`${user}:`));
  const [, , uid, gid] = line?.split(":") ?? [];
  if (uid === undefined || gid === undefined) throw new Error(`There is no user ${user}`);
  return { uid: Number(uid), gid: Number(gid) };
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("Expected a port");
  return address.port;
};
