import { type BigIntStats, readFileSync, statSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import type { Logger } from "../../core/log.ts";
import { parseUsers, type Users, UsersFileFault } from "./users-file.ts";

/** Maximum size of the file in bytes. */
const maxBytes = 16_777_216n;

/** The current users of a file; the file is checked on each use, and read when it has changed. */
export class UsersFileCache {
  readonly #path: string;
  readonly #log: Logger;
  #users: Users;
  /** Of the file that was read last, valid or not. */
  #version: string;
  #reading: Promise<void> | undefined;

  /** Throws `UsersFileFault` where the file cannot be read or is invalid. */
  constructor(path: string, log: Logger) {
    this.#path = path;
    this.#log = log;
    try {
      const stats = statSync(path, { bigint: true });
      checkSize(stats);
      this.#version = versionOf(stats);
      this.#users = parseUsers(readFileSync(path, "utf8"));
    } catch (error) {
      throw faultOf(path, error);
    }
  }

  /** The users in the file now, or before it became invalid. */
  async current(): Promise<Users> {
    this.#reading ??= this.#look().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
    return this.#users;
  }

  async #look(): Promise<void> {
    let version = "unknown";
    try {
      const stats = await stat(this.#path, { bigint: true });
      version = versionOf(stats);
      if (version === this.#version) return;
      checkSize(stats);
      this.#users = parseUsers(await readFile(this.#path, "utf8"));
      this.#log.info(`The users file ${this.#path} was reloaded`, {
        users: this.#users.byName.size,
      });
    } catch (error) {
      if (version !== this.#version)
        this.#log.error(
          `${faultOf(this.#path, error).message}. The previous users stay in effect; correct the file`,
        );
    }
    this.#version = version;
  }
}

const versionOf = ({ mtimeNs, ctimeNs, size, ino }: BigIntStats): string =>
  [mtimeNs, ctimeNs, size, ino].join(" ");

const checkSize = ({ size }: BigIntStats): void => {
  if (size > maxBytes)
    throw new UsersFileFault(`expected a file of at most ${maxBytes} bytes, got ${size}`);
};

const faultOf = (path: string, error: unknown): UsersFileFault => {
  const { code, message } = error as NodeJS.ErrnoException;
  return new UsersFileFault(
    error instanceof UsersFileFault
      ? `The users file ${path} is invalid: ${message}`
      : `The users file ${path} cannot be read${code === undefined ? "" : ` (${code})`}`,
    { cause: error },
  );
};
