import { basename, dirname, join, resolve } from "node:path";
import { destination } from "pino";
import { createStream } from "rotating-file-stream";
import { parseRolling } from "./rolling.ts";

/** Where finished lines go. A line ends with its line break. */
export interface Sink {
  write(line: string): void;
  /** Resolves once all that was written is out of this process; later lines are lost. */
  close(): Promise<void>;
}

/** What is told when lines cannot be written; they are lost, and the server goes on. */
export type Trouble = (message: string, error: Error) => void;

/** Standard output or standard error. */
export const consoleSink = (stream: NodeJS.WritableStream): Sink => ({
  write: (line) => {
    stream.write(line);
  },
  close: async () => {},
});

/** A file that is appended to. */
export const fileSink = (path: string, trouble: Trouble): Sink => {
  const stream = destination({ dest: resolve(path), append: true, mkdir: true, sync: false });
  let broken = false;
  stream.on("error", (error: Error) => {
    if (!broken) trouble(`The log file ${path} cannot be written`, error);
    broken = true;
  });
  return {
    write: (line) => {
      if (!broken) stream.write(line);
    },
    close: () => closed(stream, () => stream.end()),
  };
};

/** How a rolling file is kept. */
export interface RollingFile {
  readonly path: string;
  readonly pattern: string;
  /** 0 for no limit. */
  readonly maxHistory: number;
  /** Names the setting of the pattern in complaints. */
  readonly patternKey: string;
}

/** A file that is renamed after the period it covers when that ends; throws `malformed` for a bad pattern. */
export const rollingSink = (file: RollingFile, trouble: Trouble): Sink => {
  const rolling = parseRolling(file.pattern, file.patternKey);
  const active = resolve(file.path);
  const stream = createStream(
    (time) =>
      time === null ? active : resolve(rolling.name(typeof time === "number" ? new Date() : time)),
    {
      interval: rolling.interval,
      intervalBoundary: true,
      initialRotation: true,
      ...(rolling.compressed ? { compress: "gzip" } : {}),
      ...(file.maxHistory > 0
        ? {
            maxFiles: file.maxHistory,
            history: join(dirname(active), `.${basename(active)}.history`),
          }
        : {}),
    },
  );
  let told = false;
  const tell = (error: Error): void => {
    if (!told) trouble(`The log file ${file.path} cannot be written or set aside`, error);
    told = true;
  };
  stream.on("error", tell);
  stream.on("warning", tell);
  return {
    write: (line) => {
      if (!stream.destroyed) stream.write(line);
    },
    close: () => closed(stream, () => stream.end()),
  };
};

/** How long a file may take to be closed, in milliseconds. */
const closingTime = 2_000;

const closed = (
  stream: { on(event: "close" | "error", listener: () => void): unknown },
  end: () => void,
): Promise<void> =>
  new Promise((done) => {
    const timer = setTimeout(done, closingTime);
    const finish = (): void => {
      clearTimeout(timer);
      done();
    };
    stream.on("close", finish);
    stream.on("error", finish);
    end();
  });
