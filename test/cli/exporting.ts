import type { ExitCode } from "../../src/cli/command.ts";
import { run } from "../../src/cli/program.ts";
import { styleFor } from "../../src/cli/style.ts";

/** The outcome of an export. */
export interface RanExport {
  readonly code: ExitCode;
  readonly err: string;
}

/** Runs `vitrine export` in this process, with a base URL unless one is given. */
export const runExport = async (...args: readonly string[]): Promise<RanExport> => {
  let err = "";
  const plain = styleFor(false);
  const code = await run(["export", "--base-url", "https://example.org/i", ...args], {
    out: () => {},
    err: (text) => {
      err += text;
    },
    outStyle: plain,
    errStyle: plain,
    outColumns: undefined,
    errColumns: undefined,
    signal: new AbortController().signal,
  });
  return { code, err };
};
