import type { Terminal } from "./command.ts";

/** Tells how far a work is. */
export interface Progress {
  /** Of 0 to 1. */
  readonly at: (share: number) => void;
  /** Ends a line that renews itself. */
  readonly end: () => void;
}

/** Between two lines, of a hundred. */
const step = 10;

/** A line that renews itself where people watch, else a line for every tenth. */
export const progressOn = (
  terminal: Pick<Terminal, "err">,
  { name, renews }: { readonly name: string; readonly renews: boolean },
): Progress => {
  let told = -1;
  return {
    at(share) {
      const percent = Math.floor(share * 100);
      if (percent === told || (!renews && percent < told + step && percent < 100)) return;
      told = renews ? percent : percent - (percent % step);
      terminal.err(renews ? `\r${name}  ${percent} %` : `${name}  ${told} %\n`);
    },
    end() {
      if (renews && told >= 0) terminal.err("\n");
      told = -1;
    },
  };
};

/** Says nothing. */
export const silence: Progress = { at: () => {}, end: () => {} };
