import { readdir, readFile, readlink, realpath, stat } from "node:fs/promises";

/** Told how much of a work is done, 0 to 1. */
export type Tell = (share: number) => void;

/** Between two looks, in milliseconds. */
const lookMs = 200;

/** Tells how far a work is that writes a file of about so many bytes, by the file's length. */
export const whileWriting = <T>(
  path: string,
  bytes: number,
  tell: Tell,
  work: () => Promise<T>,
): Promise<T> => looking(work, tell, async () => (await stat(path)).size / bytes);

/**
 * Tells how far a work is that reads a file of so many bytes from its beginning to its end, by
 * where the process is in it. Only Linux says that; elsewhere nothing is told.
 */
export const whileReading = async <T>(
  path: string,
  bytes: number,
  tell: Tell,
  work: () => Promise<T>,
): Promise<T> => {
  const real = await realpath(path);
  return looking(work, tell, async () => ((await positionIn(real)) ?? 0) / bytes);
};

const looking = async <T>(
  work: () => Promise<T>,
  tell: Tell,
  look: () => Promise<number>,
): Promise<T> => {
  let [furthest, isLooking] = [0, false];
  const timer = setInterval(async () => {
    if (isLooking) return;
    isLooking = true;
    // The file need not be there yet.
    const share = Math.min(1, await look().catch(() => 0));
    isLooking = false;
    if (share <= furthest || ended) return;
    furthest = share;
    tell(share);
  }, lookMs);
  let ended = false;
  try {
    return await work();
  } finally {
    ended = true;
    clearInterval(timer);
  }
};

const descriptors = "/proc/self/fd";

/** How far this process has read an open file. */
const positionIn = async (path: string): Promise<number | undefined> => {
  for (const name of await readdir(descriptors)) {
    if ((await readlink(`${descriptors}/${name}`).catch(() => "")) !== path) continue;
    const about = await readFile(`/proc/self/fdinfo/${name}`, "latin1");
    const position = Number(/^pos:\s*(\d+)/m.exec(about)?.[1]);
    // Others may have it open who only read at positions.
    if (position > 0) return position;
  }
  return undefined;
};
