import { connect, type Socket } from "node:net";
import { AnswerReader } from "./answer.ts";

/** The result of one request. */
export interface Answer {
  /** The HTTP status, or the code of the error that prevented a complete response. */
  readonly status: string;
  /** Bytes of the body received. */
  readonly bytes: number;
  /** Absent without a complete response. */
  readonly milliseconds?: number;
  /** Present when it was requested and complete. */
  readonly body?: Buffer;
}

export interface ConnectionOptions {
  /** Scheme, host and port; its path precedes all requested paths. */
  readonly base: URL;
  /** Milliseconds after which a response counts as `timeout`. */
  readonly timeout: number;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A persistent connection of a client, reopened when it breaks. It uses the bare socket:
 * `node:http` takes longer to send a request than a good server to answer.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #reader = new AnswerReader();
  readonly #around: readonly [before: string, after: string];
  readonly #buffer = Buffer.allocUnsafe(bufferSize);
  readonly #timer: NodeJS.Timeout;
  #socket: Socket | undefined;
  #waiting: ((answer: Answer) => void) | undefined;
  #start = 0;
  #keep = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    const { base, headers, timeout } = options;
    const lines = Object.entries({ host: base.host, ...headers });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    this.#around = [`GET ${base.pathname.replace(/\/$/, "")}`, ` HTTP/1.1\r\n${head}\r\n`];
    this.#timer = setTimeout(() => this.#fail("timeout"), timeout).unref();
  }

  /** Requests a path exactly as given; one at a time. It always settles and never fails. */
  ask(path: string, { keep = false }: { readonly keep?: boolean } = {}): Promise<Answer> {
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#keep = keep;
      this.#reader.begin({ keep });
      this.#start = performance.now();
      this.#timer.refresh();
      this.#socket ??= this.#open();
      this.#socket.write(this.#around[0] + path + this.#around[1], "latin1");
    });
  }

  /** Releases the connection. */
  close(): void {
    clearTimeout(this.#timer);
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #open(): Socket {
    const { base } = this.#options;
    const socket = connect({
      host: base.hostname.replace(/^\[|\]$/g, ""),
      port: base.port === "" ? 80 : Number(base.port),
      noDelay: true,
      onread: {
        buffer: this.#buffer,
        callback: (length, buffer) => {
          if (socket === this.#socket)
            this.#arrived(Buffer.from(buffer.buffer, buffer.byteOffset, length));
          return true;
        },
      },
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (socket === this.#socket) this.#fail(error.code ?? "error");
    });
    socket.on("close", () => {
      if (socket !== this.#socket) return;
      if (this.#waiting !== undefined && this.#reader.close()) this.#whole();
      else this.#fail("ECONNRESET");
    });
    return socket;
  }

  #arrived(chunk: Buffer): void {
    try {
      if (this.#reader.take(chunk)) this.#whole();
    } catch {
      this.#fail("unreadable");
    }
  }

  #whole(): void {
    const { status, bytes, reusable } = this.#reader;
    if (!reusable) this.#drop();
    this.#settle({
      status: String(status),
      bytes,
      milliseconds: performance.now() - this.#start,
      ...(this.#keep ? { body: this.#reader.body } : {}),
    });
  }

  #fail(status: string): void {
    this.#drop();
    this.#settle({ status, bytes: this.#reader.bytes });
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(answer);
  }
}

const bufferSize = 65_536;
