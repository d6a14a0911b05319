import { type FileHandle, open } from "node:fs/promises";

/** A failed part of the work on an image. */
export interface ReportedFailure {
  readonly identifier: string;
  /** Absent where no request failed. */
  readonly path?: string;
  readonly reason: string;
}

/** Maximum number of failures in the summary. */
export const maxNamed = 20;

/** Failures: the first ones for the summary, all of them in a file where there is one. */
export class WarmFailures {
  readonly first: ReportedFailure[] = [];
  count = 0;
  readonly #file: FileHandle | undefined;

  /** With a file, which is replaced. */
  static async open(path: string | undefined): Promise<WarmFailures> {
    return new WarmFailures(path === undefined ? undefined : await open(path, "w"));
  }

  private constructor(file: FileHandle | undefined) {
    this.#file = file;
  }

  async add(failure: ReportedFailure): Promise<void> {
    this.count++;
    if (this.first.length < maxNamed) this.first.push(failure);
    await this.#file?.appendFile(`${JSON.stringify(failure)}\n`);
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }
}
