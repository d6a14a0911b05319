import type { LockPlace } from "../caches/shared-lock.ts";
import type { FileObjects } from "../clients/objects.ts";

/** Time limit of a request for a lock in milliseconds. */
const requestMs = 15_000;

/** A lock that is an object. */
export const objectLock = (objects: FileObjects, key: string): LockPlace => {
  const limit = (): AbortSignal => AbortSignal.timeout(requestMs);
  const mark = async (): Promise<string | undefined> => {
    const found = await objects.get(key, limit());
    return found && Buffer.from(found.bytes).toString("latin1");
  };
  return {
    async create(mine) {
      if (!(await objects.create(key, Buffer.from(mine, "latin1"), limit()))) return false;
      // A service that ignores the condition lets another server replace the lock.
      return (await mark()) === mine;
    },
    mark,
    // Does nothing if the lock was removed: a purge must not be undone.
    beat: () => objects.touch(key, limit()),
    async lastBeat() {
      for await (const { objects: found } of objects.list(key, limit()))
        return found.find((one) => one.key === key)?.modifiedAt.getTime();
      return undefined;
    },
    remove: () => objects.remove([key], limit()),
  };
};
