import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { environment } from "../../config/environment.ts";
import type { Lack, Library } from "../shared/index.ts";
import { videoKeys } from "./keys.ts";
import { runProgram } from "./run.ts";

/** The programs that read videos, as absolute paths. */
export interface Programs {
  readonly ffmpeg: string;
  readonly ffprobe: string;
  /** As ffmpeg reports it. */
  readonly version: string;
  /** Limits the memory of another program; absent where this machine has no prlimit. */
  readonly prlimit?: string;
}

/** Found programs by configured folder; missing ones are looked for again. */
const found = new Map<string, Promise<Programs | Lack>>();

/**
 * Looks for the programs in a folder, or where it is empty in the PATH; reports which one is
 * missing.
 */
export const findPrograms = (folder: string): Promise<Programs | Lack> => {
  const before = found.get(folder);
  if (before !== undefined) return before;
  const looking = look(folder);
  found.set(folder, looking);
  // Installing them does not require a restart of the server.
  void looking.then((result) => "kind" in result && found.delete(folder));
  return looking;
};

/** ffmpeg, with the ffprobe that belongs to it. */
export const ffmpeg: Library = {
  name: "FFmpeg",
  find: async (config) => {
    const folder = config.view(videoKeys)()["FfmpegProcessor.path_to_binaries"];
    const programs = await findPrograms(folder);
    return "kind" in programs ? { lacks: programs } : { version: programs.version };
  },
};

const look = async (folder: string): Promise<Programs | Lack> => {
  const path = (environment()["PATH"] ?? "").split(delimiter).filter((part) => part !== "");
  const folders = folder === "" ? path : [folder];
  const lack = (name: string): Lack => ({
    kind: "program",
    name,
    remedy:
      folder === ""
        ? "install FFmpeg, or set FfmpegProcessor.path_to_binaries"
        : "FfmpegProcessor.path_to_binaries does not lead to it",
  });
  const [program, prober, prlimit] = await Promise.all([
    executableIn(folders, "ffmpeg"),
    executableIn(folders, "ffprobe"),
    executableIn(path, "prlimit"),
  ]);
  if (program === undefined) return lack("ffmpeg");
  if (prober === undefined) return lack("ffprobe");
  const version = await versionOf(program);
  if (version === undefined) return lack("ffmpeg");
  return { ffmpeg: program, ffprobe: prober, version, ...(prlimit ? { prlimit } : {}) };
};

const ending = process.platform === "win32" ? ".exe" : "";

const executableIn = async (
  folders: readonly string[],
  name: string,
): Promise<string | undefined> => {
  for (const folder of folders) {
    const file = join(folder, name + ending);
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
};

/** Time limit for printing a version in milliseconds, sufficient for a cold disk. */
const versionMs = 5_000;

const versionOf = async (program: string): Promise<string | undefined> => {
  const run = await runProgram({
    program,
    args: ["-hide_banner", "-version"],
    limits: { ms: versionMs, bytes: 65_536 },
    signal: new AbortController().signal,
  }).catch(() => undefined);
  if (run?.end !== 0) return undefined;
  return /^ffmpeg version (\S{1,100})/.exec(Buffer.from(run.output).toString("latin1"))?.[1];
};
