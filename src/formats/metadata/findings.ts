import { ServerError } from "../../core/errors.ts";
import type { Exif, NativeField } from "./values.ts";

/** Blocks with the same meaning in every format. */
export type BlockKind = "exif" | "iptc" | "xmp" | "extended XMP" | "icc";

const maxFields = 2_048;
const maxProblems = 32;

/** Maximum bytes of a block. */
export const largest: Readonly<Record<BlockKind, number>> = {
  exif: 4_194_304,
  iptc: 4_194_304,
  xmp: 4_194_304,
  "extended XMP": 16_777_216,
  icc: 16_777_216,
};

/** Maximum bytes of a format's own text. */
export const longestText = 1_048_576;

/**
 * Maximum total bytes of shown fields, and of inflated data: fields may share their bytes, and
 * bombs come in parts.
 */
const maxShown = 8_388_608;
const maxInflated = 33_554_432;

/** A remaining budget. */
class Allowance {
  #left: number;

  constructor(max: number) {
    this.#left = max;
  }

  /** Takes so many bytes if there is room; once there was none, nothing more is taken. */
  take(bytes: number): boolean {
    this.#left = bytes > this.#left ? -1 : this.#left - bytes;
    return this.#left >= 0;
  }
}

/** What was found in a file so far; later problems do not undo it. */
export class Findings {
  readonly #blocks = new Map<BlockKind, Buffer>();
  readonly #native: NativeField[] = [];
  readonly #problems = new Set<string>();
  /** Of a TIFF, which is not in a block. */
  exif: Exif | undefined;
  /**
   * Of a GIF: the first image's duration in hundredths of a second, and the number of repetitions.
   */
  animation: { readonly delayTime?: number; readonly loopCount?: number } = {};
  readonly shown = new Allowance(maxShown);
  readonly inflated = new Allowance(maxInflated);

  get native(): readonly NativeField[] {
    return this.#native;
  }

  get problems(): readonly string[] {
    return [...this.#problems];
  }

  /** The bytes of a block, as far as available. */
  block(kind: BlockKind): Buffer | undefined {
    return this.#blocks.get(kind);
  }

  /** Whether there is no block of a kind yet; a second one is a problem. */
  wants(kind: BlockKind): boolean {
    const isFirst = !this.#blocks.has(kind);
    if (!isFirst) this.problem(`There is more than one block of ${kind}; the first counts.`);
    return isFirst;
  }

  /** Stores a copy of a block; the first of a kind counts. */
  addBlock(kind: BlockKind, bytes: Uint8Array): void {
    if (this.wants(kind)) this.#blocks.set(kind, Buffer.from(bytes));
  }

  addField(field: NativeField): void {
    if (this.#native.length < maxFields) this.#native.push(field);
    else
      this.problem(
        `There are more than ${maxFields} fields of the format's own; the rest is skipped.`,
      );
  }

  /** Reports what is skipped and why; of many problems the first ones. */
  problem(text: string): void {
    if (this.#problems.size < maxProblems) this.#problems.add(text);
  }

  /** A parser's result; damage is reported instead. */
  async attempt<T>(read: () => T | Promise<T>): Promise<T | undefined> {
    try {
      return await read();
    } catch (error) {
      // Errors of the source are not the file's.
      if (!(error instanceof ServerError) || error.failure !== "unreadable") throw error;
      this.problem(error.message);
      return undefined;
    }
  }
}
