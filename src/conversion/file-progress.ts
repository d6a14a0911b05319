import { readdir, readFile, readlink, realpath, stat } from "node:fs/promises";

/** Called with the progress, 0 to 1. */
export type OnProgress = (share: number) => void;

/** Polling interval in milliseconds. */
const lookMs = 200;

/** Reports the progress of writing a file of about so many bytes, by its current length. */
export const whileWriting = <T>(
  path: string,
  bytes: number,
  tell: OnProgress,
  work: () => Promise<T>,
): Promise<T> => looking(work, tell, async () => (await stat(path)).size / bytes);

/**
 * Reports the progress of reading a file sequentially, by the process's position in it. Linux only;
 * elsewhere nothing is reported.
 */
export const whileReading = async <T>(
  path: string,
  bytes: number,
  tell: OnProgress,
  work: () => Promise<T>,
): Promise<T> => {
  const real = await realpath(path);
  return looking(work, tell, async () => ((await positionIn(real)) ?? 0) / bytes);
};

const looking = async <T>(
  work: () => Promise<T>,
  tell: OnProgress,
  look: () => Promise<number>,
): Promise<T> => {
  let [furthest, isLooking] = [0, false];
  const timer = setInterval(async () => {
    if (isLooking) return;
    isLooking = true;
    // The file need not exist yet.
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

/** This process's position in an open file. */
const positionIn = async (path: string): Promise<number | undefined> => {
  for (const name of await readdir(descriptors)) {
    if ((await readlink(`${descriptors}/${name}`).catch(() => "")) !== path) continue;
    const about = await readFile(`/proc/self/fdinfo/${name}`, "latin1");
    const position = Number(/^pos:\s*(\d+)/m.exec(about)?.[1]);
    // Other descriptors may read at explicit positions only.
    if (position > 0) return position;
  }
  return undefined;
};
