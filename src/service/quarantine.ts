import { hash } from "node:crypto";
import type { Settings } from "../config/keys.ts";
import { Quarantined } from "../core/busy.ts";
import { DecoderLost } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { ExclusiveRun } from "./exclusive-run.ts";
import { IncidentLog, type IncidentVerdict } from "./incidents.ts";
import type { quarantineKeys } from "./quarantine-keys.ts";

/** One state of a stored image: a replaced file is another one. */
export interface StoredPicture {
  readonly identifier: string;
  readonly version: string;
}

/** Records outside this process which image is being read, in case the process crashes on it. */
export interface Note {
  /** Equal in every worker for the same state of an image. */
  readonly name: string;
  /** For people. */
  readonly identifier: string;
}

/** Where records are written. */
export interface Journal {
  /** Records an image, and whether it is read `alone`; the returned function removes the record. */
  begin(note: Note, how?: { readonly alone: boolean }): () => void;
  /**
   * Records what is being rendered on the event loop, until the next call or shortly after. Costs
   * next to nothing.
   */
  glance(note: Note): void;
}

/** A worker that died, or a decoder that another worker lost. */
export interface WorkerCrash {
  /** The images it was reading, each once. */
  readonly names: readonly string[];
  /** Milliseconds since. */
  readonly ago: number;
  /** Whether only this image can be the cause. */
  readonly isProof: boolean;
}

/** The dependencies of the quarantine. */
export interface QuarantineDeps {
  readonly settings: () => Settings<typeof quarantineKeys>;
  readonly log: Logger;
  /** Absent: nobody would report a crash of this process. */
  readonly journal?: Journal;
  /** Announces facts about images to other processes; absent: there are none. */
  readonly tell?: (news: ImageKnowledge) => void;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** Maximum time others wait while a suspect is read alone, in milliseconds; 10 s. */
  readonly holdMs?: number;
}

/** What a worker learned of an image, by its name, for the other workers. */
export interface ImageKnowledge {
  /**
   * `lost`: reading it crashed a decoder; `cleared`: it did not cause one worker's crash;
   * `cleared-of-all`: nor any other.
   */
  readonly kind: "lost" | "cleared" | "cleared-of-all";
  readonly name: string;
}

/**
 * Refuses images that repeatedly crash decoders. An image that was merely being read when workers
 * died is read alone before it is quarantined: if it is the cause, that proves it without affecting
 * other requests.
 */
export class Quarantine {
  readonly #deps: QuarantineDeps;
  readonly #now: () => number;
  readonly #incidents: IncidentLog;
  readonly #exclusiveRun: ExclusiveRun;
  readonly #notes = new WeakMap<StoredState, Note>();

  constructor(deps: QuarantineDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => performance.now());
    this.#incidents = new IncidentLog(() => this.#limits());
    this.#exclusiveRun = new ExclusiveRun(deps.holdMs ?? holdMs);
  }

  /** Throws `busy` for a quarantined image. */
  check(picture: StoredPicture): void {
    if (!this.#incidents.isEmpty) this.#checked(resolveName(picture));
  }

  /**
   * Whether an image may be rendered on the event loop now, where it cannot wait to be read alone;
   * records it as being read. `state` is the same object for the same state of an image, so that
   * its name is computed once.
   */
  glance(identifier: string, state: StoredState): boolean {
    if (this.#exclusiveRun.isTaken) return false;
    let note = this.#notes.get(state);
    if (note === undefined) {
      note = { name: resolveName({ identifier, version: state.version }), identifier };
      this.#notes.set(state, note);
    }
    if (!this.#incidents.isEmpty && this.#incidents.has(note.name)) return false;
    this.#deps.journal?.glance(note);
    return true;
  }

  /**
   * Runs work that reads an image, and records a crash. A suspect is read alone. Throws `busy` for
   * an image that is quarantined, or that could not be read alone in time. With `clears` false the
   * work reads too little, such as headers only, to clear the image of suspicion.
   */
  async watch<T>(
    picture: StoredPicture,
    signal: AbortSignal,
    work: () => Promise<T>,
    { clears = true }: { readonly clears?: boolean } = {},
  ): Promise<T> {
    const name = resolveName(picture);
    const patience = performance.now() + this.#holdMs;
    while (this.#exclusiveRun.isTaken && performance.now() < patience)
      await this.#exclusiveRun.opened(signal);
    const { kind } = this.#checked(name);
    const noted = (how?: { readonly alone: boolean }): Promise<T> =>
      this.#noted({ name, identifier: picture.identifier }, work, { ...how, clears });
    if (kind === "free") return this.#exclusiveRun.beside(noted);
    const read = this.#exclusiveRun.isTaken
      ? undefined
      : await this.#exclusiveRun.alone(signal, async () => ({ it: await noted({ alone: true }) }));
    if (read === undefined) throw new Quarantined(this.#holdMs, notAlone);
    return read.it;
  }

  /** Records a crash elsewhere. */
  recordCrash({ names, ago, isProof }: WorkerCrash): void {
    const time = this.#now() - ago;
    for (const name of names) this.#incidents.add(name, isProof ? "proven" : "suspected", time);
  }

  get #holdMs(): number {
    return this.#deps.holdMs ?? holdMs;
  }

  #limits(): { readonly after: number; readonly ms: number } {
    const settings = this.#deps.settings();
    return {
      after: settings["processor.quarantine.after"],
      ms: settings["processor.quarantine.seconds"] * 1_000,
    };
  }

  #checked(name: string): IncidentVerdict {
    const verdict = this.#incidents.verdict(name, this.#now());
    if (verdict.kind === "refused") throw new Quarantined(verdict.leftMs);
    return verdict;
  }

  async #noted<T>(
    note: Note,
    work: () => Promise<T>,
    { alone = false, clears }: { readonly alone?: boolean; readonly clears: boolean },
  ): Promise<T> {
    const done = this.#deps.journal?.begin(note, { alone });
    try {
      const result = await work();
      if (clears && !this.#incidents.isEmpty) this.#acquit(note.name, alone);
      return result;
    } catch (error) {
      if (error instanceof DecoderLost) this.#blame(note, error);
      throw error;
    } finally {
      done?.();
    }
  }

  #blame({ name, identifier }: Note, error: DecoderLost): void {
    this.#incidents.add(name, "proven", this.#now());
    this.#deps.tell?.({ kind: "lost", name });
    const { kind } = this.#incidents.verdict(name, this.#now());
    if (kind !== "refused") return;
    const { after, ms } = this.#limits();
    this.#deps.log.warn("Image quarantined after repeated decoder crashes", {
      identifier,
      times: after,
      seconds: ms / 1_000,
      last: error.message,
    });
  }

  /**
   * An image that was read to its end was probably not the cause of a worker's crash; read alone,
   * it was not the cause of any.
   */
  #acquit(name: string, all: boolean): void {
    if (this.#incidents.clear(name, { all }))
      this.#deps.tell?.({ kind: all ? "cleared-of-all" : "cleared", name });
  }
}

/** The recorded name of an image. */
interface StoredState {
  readonly version: string;
}

const notAlone =
  "This image may have crashed a decoder, so it is read alone. The images being read now took too long to finish; try again later.";

/** Maximum time others wait for a suspect that is read alone, in milliseconds. */
const holdMs = 10_000;

/** Short enough to record quickly, long enough to be unique. */
const resolveName = ({ identifier, version }: StoredPicture): string =>
  hash("sha256", `${identifier}\0${version}`, "base64url").slice(0, nameLength);

const nameLength = 24;
