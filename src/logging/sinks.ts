import { createWriteStream, mkdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Writable } from "node:stream";
import { createStream } from "rotating-file-stream";
import type { Rolling } from "./rolling.ts";

/** A destination of lines. A line ends with its line break. */
export interface Sink {
  write(line: string): void;
  /** Resolves once everything is written out; later lines are lost. */
  close(): Promise<void>;
}

/** Called when lines cannot be written; they are lost, and the server continues. */
export type OnWriteError = (message: string, error: Error) => void;

/** Standard output or standard error. */
export const consoleSink = (stream: NodeJS.WritableStream): Sink => ({
  write: (line) => {
    stream.write(line);
  },
  close: async () => {},
});

/** A file that is appended to; its folder is created if missing. */
export const fileSink = (path: string, trouble: OnWriteError): Sink => {
  const complain = once((error) => trouble(`The log file ${path} cannot be written`, error));
  const file = resolve(path);
  try {
    mkdirSync(dirname(file), { recursive: true });
  } catch {
    // Opening the file fails for the same reason and reports it.
  }
  return streamSink(createWriteStream(file, { flags: "a" }), complain);
};

/** How a rolling file is rotated. */
export interface RollingFile {
  readonly path: string;
  readonly rolling: Rolling;
  /** 0 for no limit. */
  readonly maxHistory: number;
}

/** A file that is renamed at the end of the period it covers. */
export const rollingSink = (file: RollingFile, trouble: OnWriteError): Sink => {
  const { rolling } = file;
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
  const complain = once((error) =>
    trouble(`The log file ${file.path} cannot be written or set aside`, error),
  );
  stream.on("warning", complain);
  return streamSink(stream, complain);
};

/** Maximum bytes of lines that wait for a slow disk; further ones are lost. */
const maxWaiting = 16 * 1024 * 1024;

const streamSink = (stream: Writable, complain: (error: Error) => void): Sink => {
  stream.on("error", complain);
  return {
    write: (line) => {
      if (stream.destroyed || stream.writableEnded) return;
      if (stream.writableLength < maxWaiting) stream.write(line);
      else complain(new Error("lines come faster than they can be written"));
    },
    close: () => closed(stream),
  };
};

const once = (complain: (error: Error) => void): ((error: Error) => void) => {
  let told = false;
  return (error) => {
    if (!told) complain(error);
    told = true;
  };
};

/** Time limit of closing a file in milliseconds. */
const closingTime = 2_000;

const closed = (stream: Writable): Promise<void> =>
  new Promise((done) => {
    if (stream.closed) {
      done();
      return;
    }
    const timer = setTimeout(done, closingTime);
    const finish = (): void => {
      clearTimeout(timer);
      done();
    };
    stream.once("close", finish);
    stream.once("error", finish);
    stream.end();
  });
