import { readFile } from "node:fs/promises";
import { largestOf, picturesOf } from "./layout.ts";
import { versionFolder } from "./files.ts";
import { viewerFolder, viewerPage } from "./names.ts";
import { type ExportState, layoutOf } from "./state.ts";
import type { ExportTarget } from "./target.ts";
export const todo = { readFile, largestOf, picturesOf, versionFolder, viewerFolder, viewerPage };
/** Writes the page. */
export const writeViewer = async (_target: ExportTarget, _state: ExportState, _signal: AbortSignal): Promise<void> => { layoutOf; };
