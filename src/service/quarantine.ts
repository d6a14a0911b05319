import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Settings } from "../config/keys.ts";
import { Quarantined } from "../core/busy.ts";
import { DecoderLost } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import type { quarantineKeys } from "./quarantine-keys.ts";

/** One state of a stored picture: who replaces its file makes another. */
export interface StoredPicture {
  readonly identifier: string;
  readonly version: string;
}

/** What is noted outside this process of a picture that is being read, for when the process dies of it. */
export interface Note {
  /** The same for the same state of a picture, in every worker. */
  readonly name: string;
  /** For people. */
  readonly identifier: string;
}

/** Where notes are kept. */
export interface Journal {
  /** Notes a picture; what is answered crosses it out again. */
  begin(note: Note): () => void;
}

/** A worker that died, or a decoder that another worker lost. */
export interface WorkerDeath {
  /** What it was reading. */
  readonly names: readonly string[];
  /** Milliseconds since. */
  readonly ago: number;
}

/** What keeping pictures apart needs of the rest of the house. */
export interface QuarantineDeps {
  readonly settings: () => Settings<typeof quarantineKeys>;
  readonly log: Logger;
  /** Absent: this process has nobody who would tell of its death. */
  readonly journal?: Journal;
  /** Tells other processes, by its name, that a decoder was lost over a picture; absent: there are none. */
  readonly tell?: (name: string) => void;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/** When reading a picture brought something down, in milliseconds of the clock. */
interface Record {
  readonly sure: readonly number[];
  /** A worker died while it read others, too. */
  readonly suspected: readonly number[];
}

/** Pictures that are remembered; the one longest quiet is forgotten first. */
const mostPictures = 1_000;

/** Of one picture; more make no difference. */
const mostTimes = 1_000;

/**
 * Remembers pictures that bring down what reads them, and refuses those that do so again and again.
 * Where nothing has happened, it costs next to nothing.
 */
export class Quarantine {
  readonly #deps: QuarantineDeps;
  readonly #now: () => number;
  readonly #records = new LRUCache<string, Record>({ max: mostPictures });

  constructor(deps: QuarantineDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => performance.now());
  }

  /** Throws `busy` for a picture that is refused at present. */
  check(picture: StoredPicture): void {
    if (this.#records.size === 0) return;
    const record = this.#records.get(nameOf(picture));
    if (record === undefined) return;
    const { after, ms } = this.#limits();
    const times = [...record.sure, ...record.suspected].sort((one, other) => one - other);
    const last = times.at(-1);
    if (after === 0 || last === undefined || times.length < after) return;
    const first = times[times.length - after] ?? last;
    const left = last + ms - this.#now();
    if (left > 0 && last - first < ms) throw new Quarantined(left);
  }

  /** Carries out what reads a picture, and remembers where that brought something down. */
  async watch<T>(picture: StoredPicture, work: () => Promise<T>): Promise<T> {
    const { journal } = this.#deps;
    const done = journal?.begin({ name: nameOf(picture), identifier: picture.identifier });
    try {
      const result = await work();
      if (this.#records.size > 0) this.#acquit(nameOf(picture));
      return result;
    } catch (error) {
      if (error instanceof DecoderLost) this.#blame(picture, error);
      throw error;
    } finally {
      done?.();
    }
  }

  /** Takes note of a death elsewhere: of the only picture that was read, or of all of them as suspects. */
  mourn({ names, ago }: WorkerDeath): void {
    const time = this.#now() - ago;
    const kind = names.length === 1 ? "sure" : "suspected";
    for (const name of names) this.#add(name, kind, time);
  }

  #limits(): { readonly after: number; readonly ms: number } {
    const settings = this.#deps.settings();
    return {
      after: settings["processor.quarantine.after"],
      ms: settings["processor.quarantine.seconds"] * 1_000,
    };
  }

  #blame(picture: StoredPicture, error: DecoderLost): void {
    this.#add(nameOf(picture), "sure", this.#now());
    this.#deps.tell?.(nameOf(picture));
    try {
      this.check(picture);
    } catch {
      const { after, ms } = this.#limits();
      this.#deps.log.warn(
        "A picture is refused for a while: reading it brought down again and again what reads it",
        { identifier: picture.identifier, times: after, seconds: ms / 1_000, last: error.message },
      );
    }
  }

  #add(name: string, kind: keyof Record, time: number): void {
    const { ms } = this.#limits();
    const since = this.#now() - ms;
    const { sure = [], suspected = [] } = this.#records.get(name) ?? {};
    const recent = (times: readonly number[]): readonly number[] =>
      times.filter((one) => one > since).slice(-mostTimes);
    const record = { sure: recent(sure), suspected: recent(suspected) };
    this.#records.set(name, { ...record, [kind]: [...record[kind], time] });
  }

  /** What is read to its end was hardly what a worker died of: of each such death one reading clears it. */
  #acquit(name: string): void {
    const record = this.#records.peek(name);
    if (record === undefined || record.suspected.length === 0) return;
    const suspected = record.suspected.slice(1);
    if (record.sure.length === 0 && suspected.length === 0) this.#records.delete(name);
    else this.#records.set(name, { ...record, suspected });
  }
}

/** So short that it is quickly noted, and no two pictures share it. */
const nameOf = ({ identifier, version }: StoredPicture): string =>
  hash("sha256", `${identifier}\0${version}`, "base64url").slice(0, nameLength);

const nameLength = 24;
