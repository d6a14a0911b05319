/**
 * Changes at run time that the files do not contain yet, as text, and which of them still have to
 * be written.
 */
export class RuntimeChanges {
  #texts: ReadonlyMap<string, string> = new Map();
  #unwritten = new Set<string>();
  #onChange: () => void = () => {};

  /** All of them. */
  get texts(): ReadonlyMap<string, string> {
    return this.#texts;
  }

  /** Keys whose changes still have to be written. */
  get unwritten(): readonly string[] {
    return [...this.#unwritten];
  }

  /** Those still to be written; an empty text means the default. */
  toWrite(): Map<string, string> {
    return new Map([...this.#unwritten].map((key) => [key, this.#texts.get(key) ?? ""]));
  }

  /** Calls `listener` whenever they change; there is one listener. */
  onChange(listener: () => void): void {
    this.#onChange = listener;
  }

  /** Adds changes that have to be written. */
  add(texts: ReadonlyMap<string, string>): void {
    for (const key of texts.keys()) this.#unwritten.add(key);
    this.#replace(new Map([...this.#texts, ...texts]));
  }

  /** Replaces all changes; all of them have to be written. */
  hold(texts: ReadonlyMap<string, string>): void {
    this.#unwritten = new Set(texts.keys());
    this.#replace(new Map(texts));
  }

  /**
   * Keeps those still to be written, which are the only ones left once the files have been read.
   */
  left(): ReadonlyMap<string, string> {
    return new Map([...this.#texts].filter(([key]) => this.#unwritten.has(key)));
  }

  /** Keeps only those that `left` returned. */
  leave(left: ReadonlyMap<string, string>): void {
    this.#replace(left);
  }

  /** These texts are in the files now; later changes still have to be written. */
  wrote(texts: ReadonlyMap<string, string>): void {
    for (const [key, text] of texts) if (this.#texts.get(key) === text) this.#unwritten.delete(key);
  }

  #replace(texts: ReadonlyMap<string, string>): void {
    this.#texts = texts;
    this.#onChange();
  }
}
