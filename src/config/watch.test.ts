import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { watchFiles } from "./watch.ts";

test("a closed watch ignores further files to follow", async () => {
  const folder = await temporaryFolder({ "a.properties": "a = 1\n" });
  const path = join(folder, "a.properties");
  const changes = { open: 0, closed: 0 };
  const closed = watchFiles(() => changes.closed++, 1);
  closed.follow([path]);
  closed.close();
  closed.follow([path]);
  const open = watchFiles(() => changes.open++, 100);
  onTestFinished(() => open.close());
  open.follow([path]);
  await writeFile(path, "a = 2\n");
  // A hundred times slower than the other would be.
  await expect.poll(() => changes.open, { timeout: 10_000 }).toBeGreaterThan(0);
  expect(changes.closed).toBe(0);
});
