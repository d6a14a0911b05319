import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { type Terminal, UsageError } from "./command.ts";

/** bcrypt ignores everything beyond this length. */
const maxBytes = 72;
const fewestCharacters = 8;
/** Longer input is not a password. */
const maxInput = 4_096;

/**
 * Reads a new password: typed twice without echo, or the first line of piped input. Throws
 * `UsageError` for one shorter than 8 characters or longer than 72 bytes of UTF-8, and where the
 * two differ.
 */
export const readSecret = async (terminal: Terminal, prompt: string): Promise<string> => {
  const { input } = terminal;
  if (input === undefined) throw new UsageError("expected a password on the standard input");
  const secret = input.isTTY ? await typed(terminal, prompt) : await piped(terminal);
  if ([...secret].length < fewestCharacters)
    throw new UsageError(`expected a password of at least ${fewestCharacters} characters`);
  if (Buffer.byteLength(secret) > maxBytes || secret.includes("\0"))
    throw new UsageError(
      `expected a password of at most ${maxBytes} bytes; bcrypt ignores the rest`,
    );
  return secret;
};

const piped = async ({ input, signal }: Terminal): Promise<string> => {
  const chunks: Buffer[] = [];
  let length = 0;
  if (input === undefined) return "";
  const stop = (): unknown => input.destroy(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const chunk of input) {
      chunks.push(Buffer.from(chunk));
      length += chunks.at(-1)?.length ?? 0;
      if (length > maxInput || chunk.includes("\n")) break;
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
  return /^[^\r\n]*/.exec(Buffer.concat(chunks).toString("utf8"))?.[0] ?? "";
};

const typed = async (terminal: Terminal, prompt: string): Promise<string> => {
  const first = await typedOnce(terminal, `${prompt}: `);
  if ((await typedOnce(terminal, `${prompt}, again: `)) === first) return first;
  throw new UsageError("the two passwords differ; nothing was changed");
};

const typedOnce = async ({ input, err, signal }: Terminal, prompt: string): Promise<string> => {
  if (input === undefined) return "";
  // Input is not echoed.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output, terminal: true });
  try {
    err(prompt);
    // A terminal in raw mode reports Ctrl+C only here.
    const left = new AbortController();
    lines.once("SIGINT", () => left.abort());
    lines.once("close", () => left.abort());
    return await lines.question("", { signal: AbortSignal.any([signal, left.signal]) });
  } catch (error) {
    if ((error as Error).name !== "AbortError") throw error;
    throw new UsageError("no password was given; nothing was changed");
  } finally {
    lines.close();
    err("\n");
  }
};
