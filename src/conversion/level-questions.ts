import type { Size } from "../core/geometry.ts";
import type { FindReduced, ReducedPage } from "../formats/write/pyramid/index.ts";

/** Sends a question, by its number, to whoever may have the page reduced to a size. */
export type AskLevel = (question: number, size: Size) => void;

/**
 * A converting process's questions for reduced levels. Without an answer within `maxMs`
 * milliseconds, a level counts as not found; a later answer is ignored.
 */
export class LevelQuestions {
  readonly #ask: AskLevel;
  readonly #maxMs: number;
  readonly #waiting = new Map<number, (found: ReducedPage | undefined) => void>();
  #count = 0;

  constructor(ask: AskLevel, maxMs: number) {
    this.#ask = ask;
    this.#maxMs = maxMs;
  }

  /** Asks for a level; undefined where there is none, or no answer in time. */
  readonly find: FindReduced = (size) =>
    new Promise((resolve) => {
      const question = this.#count++;
      const timer = setTimeout(() => this.hear(question, undefined), this.#maxMs);
      this.#waiting.set(question, (found) => {
        clearTimeout(timer);
        resolve(found);
      });
      this.#ask(question, size);
    });

  /** Resolves the question of this number, if it is still open. */
  hear(question: number, found: ReducedPage | undefined): void {
    this.#waiting.get(question)?.(found);
    this.#waiting.delete(question);
  }
}
