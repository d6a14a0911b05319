import type { Terminal } from "./command.ts";

/** The progress of work. */
export interface ProgressState {
  /** 0 to 1. */
  readonly share: number;
  /** Processed pixels, for the rate; absent where unknown. */
  readonly pixels?: number;
  /** The rate as text, in place of that of pixels. */
  readonly rate?: string;
  /** Shown before the percentage, as `3/12 files`. */
  readonly count?: string;
}

/** Reports progress. */
export interface Progress {
  readonly at: (standing: ProgressState) => void;
  /** Prints a line above the progress line. */
  readonly note: (line: string) => void;
  /** Removes the progress line. */
  readonly end: () => void;
}

export interface ProgressOptions {
  /** The name of the work. */
  readonly name: string;
  /** Milliseconds since any moment; the process's clock. */
  readonly now?: () => number;
}

/** Between two lines in a file, in percent. */
const step = 10;

/** Minimum milliseconds between two redraws. */
const renewMs = 100;

/** A bar that redraws itself on a terminal, else a line for every tenth. */
export const progressOn = (
  terminal: Pick<Terminal, "err" | "errStyle" | "errColumns">,
  { name, now = () => performance.now() }: ProgressOptions,
): Progress => {
  const began = now();
  const pace = (standing: ProgressState): string => paceOf(standing, now() - began);
  return terminal.errColumns === undefined
    ? inLines(terminal, name, pace)
    : renewed({ ...terminal, errColumns: terminal.errColumns }, { name, pace, now });
};

const inLines = (
  { err }: Pick<Terminal, "err">,
  name: string,
  pace: (standing: ProgressState) => string,
): Progress => {
  let told = -step;
  return {
    at(standing) {
      const percent = percentOf(standing);
      if (percent < told + step && (percent < 100 || told === 100)) return;
      told = percent - (percent % step);
      err(`${name}  ${[standing.count, `${told} %`, pace(standing)].filter(Boolean).join("  ")}\n`);
    },
    note: (line) => err(`${line}\n`),
    end() {},
  };
};

const renewed = (
  {
    err,
    errStyle,
    errColumns,
  }: Pick<Terminal, "err" | "errStyle"> & { readonly errColumns: number },
  {
    name,
    pace,
    now,
  }: {
    readonly name: string;
    readonly pace: (standing: ProgressState) => string;
    readonly now: () => number;
  },
): Progress => {
  let [line, shown] = ["", Number.NEGATIVE_INFINITY];
  const draw = (standing: ProgressState): string => {
    const said = [standing.count, `${String(percentOf(standing)).padStart(3)} %`, pace(standing)];
    const rest = `  ${said.filter(Boolean).join("  ")}`;
    // A line as wide as the terminal cannot be redrawn.
    const room = Math.min(errColumns, widest) - 1 - rest.length;
    const bar = Math.min(widestBar, room - minName);
    if (bar < minBar) return `${fitted(name, room)}${rest}`.slice(0, errColumns - 1);
    return `${fitted(name, room - bar - 1)} ${barOf(standing, bar, errStyle)}${rest}`;
  };
  return {
    at(standing) {
      if (now() - shown < renewMs && standing.share < 1) return;
      shown = now();
      line = draw(standing);
      err(`${erasing}${line}`);
    },
    note(text) {
      err(`${line === "" ? "" : erasing}${text}\n${line}`);
    },
    end() {
      if (line !== "") err(erasing);
      line = "";
    },
  };
};

/** Returns to the first column and clears the line. */
const erasing = "\r\u001b[K";
const widest = 80;
const widestBar = 30;
const minBar = 5;
/** Columns of a name and its gap to the bar. */
const minName = 10;

const barOf = ({ share }: ProgressState, width: number, style: Terminal["errStyle"]): string => {
  const done = Math.floor(share * width);
  return `${style("success", "█".repeat(done))}${style("aside", "░".repeat(width - done))}`;
};

/** A name truncated to so many columns; its end is more informative than its beginning. */
const fitted = (name: string, room: number): string => {
  if (name.length <= room) return name;
  return room < 2 ? "" : `…${name.slice(1 - room)}`;
};

const percentOf = ({ share }: ProgressState): number => Math.floor(share * 100);

/** Earlier, the rate says little. */
const settledMs = 1_000;

/** The rate and the remaining time, where they can be estimated. */
const paceOf = ({ share, pixels, rate: told }: ProgressState, ms: number): string => {
  if (ms < settledMs || share <= 0 || share >= 1) return "";
  const rate = told ?? (pixels === undefined ? "" : `${(pixels / ms / 1_000).toFixed(1)} MP/s`);
  return [rate, `${timeText((ms * (1 - share)) / share)} left`].filter(Boolean).join("  ");
};

/** Minutes and seconds, and hours if any: `1:02:03`. */
export const timeText = (ms: number): string => {
  const seconds = Math.round(ms / 1_000);
  const pair = (value: number): string => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}:${pair(seconds % 60)}`
    : `${Math.floor(minutes / 60)}:${pair(minutes % 60)}:${pair(seconds % 60)}`;
};

/** Prints nothing. */
export const silence: Progress = { at: () => {}, note: () => {}, end: () => {} };
