import { type Failure, fail, ServerError } from "../core/errors.ts";

/** Messages between processes for a call, in either direction. Plain data. */
export type CallMessage =
  | {
      readonly kind: "call";
      readonly id: number;
      readonly name: string;
      readonly given: readonly unknown[];
    }
  | { readonly kind: "answer"; readonly id: number; readonly ok: true; readonly value: unknown }
  | {
      readonly kind: "answer";
      readonly id: number;
      readonly ok: false;
      readonly failure: Failure;
      readonly message: string;
    };

/** The functions that the other process may call, by name; errors are rethrown there. */
export type Served = Readonly<Record<string, (...given: never[]) => Promise<unknown>>>;

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: ServerError) => void;
  readonly timer: NodeJS.Timeout;
}

/** Maximum number of concurrent calls in one direction. */
const maxUnderWay = 256;

/** Calls between two processes, each with a deadline; none outlives the connection. */
export class Calls {
  readonly #send: (message: CallMessage) => boolean;
  #served: Served = {};
  readonly #pending = new Map<number, Pending>();
  #serving = 0;
  #last = 0;
  #closed = false;

  /** `send` sends to the other process; it returns whether the message was accepted. */
  constructor(send: (message: CallMessage) => boolean) {
    this.#send = send;
  }

  /** Lets the other process call these functions from now on. */
  serve(served: Served): void {
    this.#served = served;
  }

  /**
   * Calls the other process; throws `busy`, `late` and `aborted` where it cannot answer, and its
   * own errors.
   */
  async call(name: string, given: readonly unknown[], ms: number): Promise<unknown> {
    if (this.#closed) return fail("aborted", "The other process is gone.");
    if (this.#pending.size >= maxUnderWay)
      return fail("busy", "Too many calls to the other process are pending.");
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new ServerError("late", `No answer to '${name}' within ${ms} ms.`));
      }, ms);
      this.#pending.set(id, { resolve, reject, timer });
      if (this.#send({ kind: "call", id, name, given })) return;
      this.#settle(id)?.reject(new ServerError("aborted", "The other process cannot be reached."));
    });
  }

  /** Handles a message of the other process; returns whether it was one of these. */
  hear(message: unknown): boolean {
    if (!isCallMessage(message)) return false;
    if (message.kind === "call") void this.#serve(message);
    else this.#answered(message);
    return true;
  }

  /** Rejects all pending calls. */
  close(): void {
    this.#closed = true;
    for (const id of [...this.#pending.keys()])
      this.#settle(id)?.reject(
        new ServerError("aborted", "The other process ended before it answered."),
      );
  }

  #settle(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(pending?.timer);
    return pending;
  }

  #answered(message: Extract<CallMessage, { kind: "answer" }>): void {
    const pending = this.#settle(message.id);
    if (message.ok) pending?.resolve(message.value);
    else pending?.reject(new ServerError(message.failure, message.message));
  }

  async #serve({ id, name, given }: Extract<CallMessage, { kind: "call" }>): Promise<void> {
    const answer = { kind: "answer", id } as const;
    try {
      if (this.#serving >= maxUnderWay) fail("busy", "Too many calls to this process are pending.");
      this.#serving++;
      try {
        const served = Object.hasOwn(this.#served, name)
          ? this.#served[name]
          : fail("unimplemented", `There is no function '${name}' to call.`);
        const value = await served?.(...(given as never[]));
        this.#reply({ ...answer, ok: true, value });
      } finally {
        this.#serving--;
      }
    } catch (error) {
      const failure = error instanceof ServerError ? error.failure : "internal";
      const message = error instanceof Error ? error.message : String(error);
      this.#reply({ ...answer, ok: false, failure, message });
    }
  }

  #reply(message: CallMessage): void {
    // A reply that is not delivered makes its call miss the deadline.
    if (!this.#closed) this.#send(message);
  }
}

const isCallMessage = (message: unknown): message is CallMessage =>
  typeof message === "object" &&
  message !== null &&
  "kind" in message &&
  (message.kind === "call" || message.kind === "answer") &&
  "id" in message &&
  typeof message.id === "number";
