import type { WorkerCrash } from "../service/quarantine.ts";
import type { FoundNote } from "./notes.ts";

/** Maximum number of remembered crashes; the latest are kept. */
const maxCrashes = 100;

/** How a worker ended. */
export interface End {
  /** The exit code; null where a signal ended it. */
  readonly code: number | null;
  readonly signal: string | null;
  /** It hung, and the supervisor killed it. */
  readonly hung: boolean;
}

/**
 * What a dead worker was reading, each image once however many requested it; undefined where it was
 * nothing.
 */
export const crashOf = (
  notes: readonly FoundNote[],
  end: End,
): Omit<WorkerCrash, "ago"> | undefined => {
  if (notes.length === 0) return undefined;
  const [first, ...others] = notes;
  const wasAlone = first !== undefined && others.length === 0 && !first.isGlance;
  return {
    names: [...new Set(notes.map(({ name }) => name))],
    isProof: wasAlone && (first.isAlone || isCrash(end)),
  };
};

/**
 * Whether the process itself caused its end. Administrators and the out-of-memory killer use other
 * signals.
 */
const isCrash = ({ code, signal, hung }: End): boolean =>
  hung || (signal === null ? code !== 0 : !outside.has(signal));

const outside: ReadonlySet<string> = new Set(["SIGKILL", "SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"]);

/** Records what workers, or their decoders, were doing when they crashed, for later workers. */
export class CrashLog {
  readonly #now: () => number;
  #deaths: readonly (Omit<WorkerCrash, "ago"> & { readonly at: number })[] = [];

  constructor({ now = () => performance.now() }: { readonly now?: () => number } = {}) {
    this.#now = now;
  }

  /** Records a crash. */
  add(death: Omit<WorkerCrash, "ago">): WorkerCrash {
    this.#deaths = [...this.#deaths.slice(1 - maxCrashes), { ...death, at: this.#now() }];
    return { ...death, ago: 0 };
  }

  /**
   * An image was read to its end: it is no longer suspected of the oldest crash, or of any where
   * `all`.
   */
  clear(cleared: string, { all }: { readonly all: boolean }): void {
    let isDone = false;
    this.#deaths = this.#deaths
      .map((death) => {
        if (isDone || death.isProof || !death.names.includes(cleared)) return death;
        isDone = !all;
        return { ...death, names: death.names.filter((name) => name !== cleared) };
      })
      .filter(({ names }) => names.length > 0);
  }

  all(): readonly WorkerCrash[] {
    return this.#deaths.map(({ at, ...death }) => ({ ...death, ago: this.#now() - at }));
  }
}
