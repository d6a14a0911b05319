/**
 * Parses HTTP/1.1 responses from the bytes of a connection, one after the other: just enough of the
 * protocol to find a response's end, at a cost that leaves the machine to the server.
 */
export class AnswerReader {
  /** Of the response being read, or read last. */
  status = 0;
  /** Of its body. */
  bytes = 0;
  /** Whether the connection can be used for another request. */
  reusable = true;
  #head = "";
  #part: "head" | "length" | "chunkSize" | "chunk" | "chunkEnd" | "trailer" | "rest" = "head";
  #left = 0;
  #line = "";
  #kept: Buffer[] | undefined;

  /** Begins a new response; with `keep` its body is kept. */
  begin({ keep }: { readonly keep: boolean }): void {
    this.status = 0;
    this.bytes = 0;
    this.reusable = true;
    this.#head = "";
    this.#line = "";
    this.#part = "head";
    this.#kept = keep ? [] : undefined;
  }

  /** The body of an answer that was to be kept. */
  get body(): Buffer {
    return Buffer.concat(this.#kept ?? []);
  }

  /** Adds bytes; true when the response is complete. Throws for anything but HTTP. */
  take(chunk: Buffer): boolean {
    let at = 0;
    if (this.#part === "head") {
      const end = this.#takeHead(chunk);
      if (end === undefined) return false;
      if (this.#ended()) return true;
      at = end;
    }
    if (this.#part === "length" || this.#part === "rest") return this.#takePlain(chunk, at);
    return this.#takeChunks(chunk, at);
  }

  /** The connection ended; true when that marks the response's end. */
  close(): boolean {
    return this.#part === "rest";
  }

  #ended(): boolean {
    const empty = this.status === 204 || this.status === 304;
    return empty || (this.#part === "length" && this.#left === 0);
  }

  /** Where in `chunk` the body begins, when the head is complete. */
  #takeHead(chunk: Buffer): number | undefined {
    const before = this.#head.length;
    const end = before === 0 ? chunk.indexOf(headEnd) : -1;
    this.#head += chunk.toString("latin1", 0, end < 0 ? chunk.length : end + headEnd.length);
    const found = this.#head.indexOf(headEnd, Math.max(0, before - headEnd.length));
    if (found < 0) {
      if (this.#head.length > largestHead) throw new Error("Expected headers of at most 64 KiB");
      return undefined;
    }
    const head = this.#head.slice(0, found + 2);
    this.#readHead(head);
    return found + headEnd.length - before;
  }

  #readHead(head: string): void {
    const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
    if (status === undefined) throw new Error("Expected an answer of HTTP/1.1");
    this.status = Number(status);
    this.reusable = !/\r\nconnection: *close/i.test(head);
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (length !== undefined) {
      this.#part = "length";
      this.#left = Number(length);
    } else if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
      this.#part = "chunkSize";
    } else {
      this.#part = "rest";
      this.reusable = false;
    }
  }

  #takePlain(chunk: Buffer, at: number): boolean {
    const arrived = chunk.length - at;
    const mine = this.#part === "rest" ? arrived : Math.min(arrived, this.#left);
    this.#count(chunk, at, mine);
    this.#left -= mine;
    return this.#part === "length" && this.#left === 0;
  }

  #takeChunks(chunk: Buffer, from: number): boolean {
    let at = from;
    while (at < chunk.length) {
      if (this.#part === "chunk") {
        const mine = Math.min(chunk.length - at, this.#left);
        this.#count(chunk, at, mine);
        this.#left -= mine;
        at += mine;
        if (this.#left === 0) this.#part = "chunkEnd";
        continue;
      }
      const end = chunk.indexOf(lineFeed, at);
      this.#line += chunk.toString("latin1", at, end < 0 ? chunk.length : end);
      if (end < 0) return false;
      at = end + 1;
      if (this.#takeLine(this.#line.trimEnd())) return true;
      this.#line = "";
    }
    return false;
  }

  /** One line between chunks; true for the last. */
  #takeLine(line: string): boolean {
    if (this.#part === "trailer") return line === "";
    if (this.#part === "chunkEnd") {
      this.#part = "chunkSize";
      return false;
    }
    this.#left = Number.parseInt(line, 16);
    if (Number.isNaN(this.#left)) throw new Error("Expected the size of a chunk");
    this.#part = this.#left === 0 ? "trailer" : "chunk";
    return false;
  }

  #count(chunk: Buffer, at: number, length: number): void {
    this.bytes += length;
    // A copy: the connection's buffer is reused for the next bytes.
    this.#kept?.push(Buffer.from(chunk.subarray(at, at + length)));
  }
}

const headEnd = "\r\n\r\n";
const lineFeed = 0x0a;
const largestHead = 65_536;
