import { expect, it } from "vitest";
import { stateFile } from "./names.ts";
import { ExportState } from "./state.ts";
import type { ExportTarget } from "./target.ts";

const { signal } = new AbortController();

/** Reads a record with one image at a path. */
const read = (path: string): Promise<ExportState> => {
  const image = { source: "a.tif", key: "k", size: { width: 1, height: 1 }, isDone: true };
  const record = {
    format: "vitrine-export-1",
    options: [{}],
    images: [[path, { ...image, options: 0 }]],
  };
  const target = {
    place: "here",
    read: async (file: string) =>
      file === stateFile ? Buffer.from(JSON.stringify(record)) : undefined,
  };
  return ExportState.read(target as unknown as ExportTarget, signal);
};

it("a record names images of its export only: their files are removed one day", async () => {
  expect((await read("maps/a.tif")).get("maps/a.tif")).toMatchObject({ source: "a.tif" });
  for (const path of ["../a.tif", "maps/../../a.tif", "/a.tif", "."])
    await expect(read(path)).rejects.toMatchObject({ failure: "malformed" });
});
