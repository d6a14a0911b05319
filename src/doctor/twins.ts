import { createHash } from "node:crypto";

/** Maximum number of identifiers that are compared; each takes about forty bytes of memory. */
const maxCompared = 5_000_000;

/**
 * Finds identifiers that differ only in case or Unicode normalization, which some file systems and
 * web servers treat as equal.
 */
export class Twins {
  readonly #seen = new Set<string>();
  readonly #twice = new Set<string>();

  add(identifier: string): void {
    if (this.#seen.size >= maxCompared) return;
    const key = keyOf(identifier);
    if (this.#seen.has(key)) this.#twice.add(key);
    else this.#seen.add(key);
  }

  /** Whether another identifier differs only in case or normalization. */
  has(identifier: string): boolean {
    return this.#twice.size > 0 && this.#twice.has(keyOf(identifier));
  }
}

const keyOf = (identifier: string): string =>
  createHash("sha256")
    .update(identifier.normalize("NFC").toLowerCase())
    .digest()
    .toString("latin1", 0, 12);
