import { type ChildProcess, fork } from "node:child_process";
import { EventEmitter } from "node:events";
import { fileURLToPath } from "node:url";

const passedOn =
  /^(PATH|HOME|LANG|LC_\w+|TMPDIR|TEMP|SystemRoot|LOCALAPPDATA|FONTCONFIG_\w+|XDG_\w+)$/;

/**
 * Starts a Node.js process that runs one of our modules, as `startThread` does a thread: `module`
 * is its URL without the extension. It gets `given` on its command line, messages by
 * `process.send`, and only those environment variables that programs need to find their files and
 * fonts, so no secrets. `set` are additional variables.
 */
export const startChild = (
  module: URL,
  given: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  set: Readonly<Record<string, string | undefined>> = {},
): Child => {
  const isSource = import.meta.url.endsWith(".ts");
  const file = fileURLToPath(new URL(`${module.href}.${isSource ? "ts" : "js"}`));
  return new Child(
    fork(file, given, {
      execArgv: isSource ? ["--import", import.meta.resolve("tsx")] : [],
      env: {
        ...Object.fromEntries(Object.entries(env).filter(([name]) => passedOn.test(name))),
        ...set,
      },
      serialization: "advanced",
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    }),
  );
};

/** A process with the interface of a thread: it emits `message`, `error` and `exit`. */
export class Child extends EventEmitter {
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;

  constructor(child: ChildProcess) {
    super();
    this.#process = child;
    this.#ended = new Promise((resolve) => child.once("exit", () => resolve()));
    child.on("message", (message) => this.emit("message", message));
    child.on("error", (error) => this.emit("error", error));
    child.on("exit", (code, signal) => this.emit("exit", code ?? signal));
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  postMessage(message: unknown): void {
    // Replies show whether a message arrived; a dead process emits `exit`.
    this.#process.send(message as object, () => undefined);
  }

  ref(): void {
    this.#process.ref();
    this.#process.channel?.ref();
  }

  unref(): void {
    this.#process.unref();
    this.#process.channel?.unref();
  }

  /** Kills it at once. */
  async terminate(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    if (this.#process.kill("SIGKILL")) await this.#ended;
  }
}
