/**
 * The results of all work, as `Promise.all`, but waits for all of it even where some fails: for work
 * that must have ended before what it uses is removed.
 */
export const allOf = async <T extends readonly unknown[] | []>(
  works: T,
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> => {
  await Promise.allSettled(works);
  return Promise.all(works);
};
