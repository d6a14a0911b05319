import { Fd, wasi } from "@bjorn3/browser_wasi_shim";

/** A character device. */
class Device extends Fd {
  override fd_fdstat_get() {
    const fdstat = new wasi.Fdstat(wasi.FILETYPE_CHARACTER_DEVICE, 0);
    fdstat.fs_rights_base = BigInt(wasi.RIGHTS_FD_READ | wasi.RIGHTS_FD_WRITE);
    return { ret: 0, fdstat };
  }

  override fd_filestat_get() {
    return { ret: 0, filestat: new wasi.Filestat(0n, wasi.FILETYPE_CHARACTER_DEVICE, 0n) };
  }
}

/** Ruby reads calls in pieces of so many bytes, until one is shorter. */
export const chunkBytes = 65_536;

/** A device that returns what was last put in, and passes on what is written. */
export class Exchange extends Device {
  readonly #written: (text: string) => void;
  #waiting: Uint8Array = new Uint8Array();

  constructor(written: (text: string) => void) {
    super();
    this.#written = written;
  }

  put(text: string): void {
    const bytes = new TextEncoder().encode(text);
    this.#waiting = bytes.length % chunkBytes === 0 ? new TextEncoder().encode(`${text} `) : bytes;
  }

  override fd_read(size: number) {
    const data = this.#waiting.subarray(0, size);
    this.#waiting = this.#waiting.subarray(data.length);
    return { ret: 0, data };
  }

  override fd_write(data: Uint8Array) {
    this.#written(new TextDecoder().decode(data));
    return { ret: 0, nwritten: data.length };
  }
}

/** Passes on written lines; lines longer than 8 KiB are split. */
export class Lines extends Device {
  readonly #line: (text: string) => void;
  readonly #decoder = new TextDecoder();
  #rest = "";

  constructor(line: (text: string) => void) {
    super();
    this.#line = line;
  }

  override fd_write(data: Uint8Array) {
    const lines = (this.#rest + this.#decoder.decode(data, { stream: true })).split("\n");
    this.#rest = lines.pop() ?? "";
    for (; this.#rest.length > longest; this.#rest = this.#rest.slice(longest))
      lines.push(this.#rest.slice(0, longest));
    for (const line of lines) if (line.trim() !== "") this.#line(line);
    return { ret: 0, nwritten: data.length };
  }
}

const longest = 8_192;
