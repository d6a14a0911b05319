import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { killedContract } from "../contract/killed.ts";

killedContract("FilesystemCache", async () => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-killed-"));
  return {
    settings: { "FilesystemCache.pathname": folder },
    async leftovers() {
      const files = await readdir(folder, { recursive: true });
      return files.filter((path) => path.endsWith(".tmp")).length;
    },
    remove: () => rm(folder, { recursive: true }),
  };
});
