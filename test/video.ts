import { execFileSync, spawnSync } from "node:child_process";

/** Whether the programs that make and read videos are on this machine. */
export const ffmpegIsHere = ["ffmpeg", "ffprobe"].every(
  (program) => spawnSync(program, ["-version"]).status === 0,
);

/** The message of a test that needs them. */
export const ffmpegIsMissing = "ffmpeg and ffprobe are not in the PATH: no video was read";

/**
 * Makes a video of plain colours, one for each second, of 25 frames and 160 x 120 pixels.
 * `options` come before the file's name.
 */
export const makeVideo = (
  path: string,
  colours: readonly string[],
  options: readonly string[] = [],
): void => {
  const inputs = colours.flatMap((colour) => [
    "-f",
    "lavfi",
    "-i",
    `color=c=${colour}:s=160x120:r=25:d=1`,
  ]);
  const joined = `concat=n=${colours.length}:v=1:a=0`;
  execFileSync("ffmpeg", [
    ...["-nostdin", "-v", "error", "-y", ...inputs, "-filter_complex", joined],
    ...[...options, path],
  ]);
};
