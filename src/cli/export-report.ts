import { isOfSource, sourceFailureText } from "../conversion/failure-report.ts";
import type { ServerError } from "../core/errors.ts";
import type { CollectionWatch, ExportedPage } from "../export/collection.ts";
import { TargetFailure } from "../export/target.ts";
import { type ExitCode, type Terminal, writeError, writeWarning } from "./command.ts";
import { type Progress, progressOn, silence, timeText } from "./progress.ts";
import { countOf } from "./words.ts";

/** Maximum number of failures listed at the end. */
const maxNamed = 50;

/** Reports an export: its progress, its failures, and the outcome. */
export class ExportReport implements CollectionWatch {
  readonly #terminal: Terminal;
  readonly #progress: Progress;
  readonly #quiet: boolean;
  readonly #began = performance.now();
  readonly #failed: string[] = [];
  #exported = 0;
  #unchanged = 0;
  #skipped = 0;
  /** Exported images with transparency, which JPEG does not support. */
  #flattened = 0;
  /** Removed images, which are no longer in the source. */
  removed = 0;

  /** `flattens`: whether the pictures have no transparency. */
  constructor(
    terminal: Terminal,
    { name, quiet }: { readonly name: string; readonly quiet: boolean },
  ) {
    this.#terminal = terminal;
    this.#quiet = quiet;
    this.#progress = quiet ? silence : progressOn(terminal, { name });
  }

  onProgress(share: number, done: number, pixels: number): void {
    const count = `${done} ${done === 1 ? "file" : "files"}`;
    this.#progress.at({ share, count, ...(pixels > 0 ? { pixels } : {}) });
  }

  onExported({ outcome, hasAlpha }: ExportedPage): void {
    if (outcome === "unchanged") this.#unchanged++;
    else this.#exported++;
    if (hasAlpha && outcome === "exported") this.#flattened++;
  }

  onFailure(identifier: string, error: ServerError): void {
    const reason = isOfSource(error) ? sourceFailureText(error) : error.message;
    const line = `${identifier}: ${reason}`;
    this.#failed.push(line);
    this.#progress.note(line);
  }

  onSkipped(): void {
    this.#skipped++;
  }

  /** Reports the outcome; `isSingle`: one image was named, and skipping it is a failure. */
  end({
    isSingle,
    flattens,
  }: {
    readonly isSingle: boolean;
    readonly flattens: boolean;
  }): ExitCode {
    this.#progress.end();
    const { err } = this.#terminal;
    if (isSingle && this.#skipped > 0) {
      writeError(
        this.#terminal,
        "The file is in no format that this server reads; 'vitrine formats' lists those that it reads.",
      );
      return 1;
    }
    if (!this.#quiet) err(`${this.#summary()} in ${timeText(performance.now() - this.#began)}.\n`);
    if (flattens && this.#flattened > 0)
      writeWarning(
        this.#terminal,
        `${countOf(this.#flattened, "image has", "images have")} transparency, which JPEG does not support; --format png,jpg keeps it`,
      );
    if (this.#failed.length === 0) return 0;
    writeError(
      this.#terminal,
      `${countOf(this.#failed.length, "image", "images")} could not be exported:`,
    );
    for (const line of this.#failed.slice(0, maxNamed)) err(`  ${line}\n`);
    if (this.#failed.length > maxNamed) err(`  and ${this.#failed.length - maxNamed} more\n`);
    return 1;
  }

  /** Reports why an export ended early; rethrows unexpected errors. */
  async stop(error: unknown, save: () => Promise<void> | undefined): Promise<ExitCode> {
    this.#progress.end();
    const isStopped = this.#terminal.signal.aborted;
    if (!isStopped && !(error instanceof TargetFailure)) throw error;
    // On a full disk, the record cannot be written either.
    await Promise.resolve(save()).catch((cause: unknown) => {
      if (isStopped)
        writeWarning(
          this.#terminal,
          `The record of exported images could not be written: ${cause}`,
        );
    });
    if (!isStopped) writeError(this.#terminal, (error as Error).message);
    const again = "Run the same command again to continue.";
    this.#terminal.err(`Stopped; ${this.#summary().toLowerCase()}. ${again}\n`);
    return 1;
  }

  #summary(): string {
    return [
      `Exported ${countOf(this.#exported, "image", "images")}`,
      ...(this.#unchanged > 0 ? [`${this.#unchanged} unchanged`] : []),
      ...(this.removed > 0 ? [`${this.removed} removed`] : []),
      ...(this.#skipped > 0
        ? [`${countOf(this.#skipped, "other file", "other files")} skipped`]
        : []),
    ].join(", ");
  }
}
