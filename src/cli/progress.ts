import type { Terminal } from "./command.ts";

/** How far a work is. */
export interface Standing {
  /** 0 to 1. */
  readonly share: number;
  /** Pixels that are done, for the rate; none where that is not known. */
  readonly pixels?: number;
  /** Said before the share, as `3/12 files`. */
  readonly count?: string;
}

/** Tells how far a work is. */
export interface Progress {
  readonly at: (standing: Standing) => void;
  /** Writes a line above the one that renews itself. */
  readonly note: (line: string) => void;
  /** Takes away the line that renews itself. */
  readonly end: () => void;
}

export interface ProgressOptions {
  /** What is worked on. */
  readonly name: string;
  /** Milliseconds since any moment; the process's clock. */
  readonly now?: () => number;
}

/** Between two lines in a file, of a hundred. */
const step = 10;

/** Between two looks of the line that renews itself, in milliseconds. */
const renewMs = 100;

/** A bar that renews itself where people watch, else a line for every tenth. */
export const progressOn = (
  terminal: Pick<Terminal, "err" | "errStyle" | "errColumns">,
  { name, now = () => performance.now() }: ProgressOptions,
): Progress => {
  const began = now();
  const pace = (standing: Standing): string => paceOf(standing, now() - began);
  return terminal.errColumns === undefined
    ? inLines(terminal, name, pace)
    : renewed({ ...terminal, errColumns: terminal.errColumns }, { name, pace, now });
};

const inLines = (
  { err }: Pick<Terminal, "err">,
  name: string,
  pace: (standing: Standing) => string,
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
    readonly pace: (standing: Standing) => string;
    readonly now: () => number;
  },
): Progress => {
  let [line, shown] = ["", Number.NEGATIVE_INFINITY];
  const draw = (standing: Standing): string => {
    const said = [standing.count, `${String(percentOf(standing)).padStart(3)} %`, pace(standing)];
    const rest = `  ${said.filter(Boolean).join("  ")}`;
    // A line that is as wide as the terminal cannot be renewed.
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

/** Back to the first column, and away with what stands there. */
const erasing = "\r\u001b[K";
const widest = 80;
const widestBar = 30;
const minBar = 5;
/** Columns of a name and what parts it from the bar. */
const minName = 10;

const barOf = ({ share }: Standing, width: number, style: Terminal["errStyle"]): string => {
  const done = Math.floor(share * width);
  return `${style("success", "█".repeat(done))}${style("aside", "░".repeat(width - done))}`;
};

/** A name within so many columns: its end tells more than its beginning. */
const fitted = (name: string, room: number): string => {
  if (name.length <= room) return name;
  return room < 2 ? "" : `…${name.slice(1 - room)}`;
};

const percentOf = ({ share }: Standing): number => Math.floor(share * 100);

/** Before, the rate says little. */
const settledMs = 1_000;

/** The rate and the time that remains, where there is something to go by. */
const paceOf = ({ share, pixels }: Standing, ms: number): string => {
  if (ms < settledMs || share <= 0 || share >= 1) return "";
  const rate = pixels === undefined ? "" : `${(pixels / ms / 1_000).toFixed(1)} MP/s`;
  return [rate, `${timeText((ms * (1 - share)) / share)} left`].filter(Boolean).join("  ");
};

/** Minutes and seconds, hours where there are any: `1:02:03`. */
export const timeText = (ms: number): string => {
  const seconds = Math.round(ms / 1_000);
  const pair = (value: number): string => String(value).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes}:${pair(seconds % 60)}`
    : `${Math.floor(minutes / 60)}:${pair(minutes % 60)}:${pair(seconds % 60)}`;
};

/** Says nothing. */
export const silence: Progress = { at: () => {}, note: () => {}, end: () => {} };
