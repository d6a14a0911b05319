import { ServerError } from "../core/errors.ts";
import type { Source, SourcePart } from "../core/source.ts";
import { diagnose } from "../sources/diagnosis.ts";
import type { Checking, Finding } from "./checks.ts";
import type { OriginStatus, SourceStatus } from "./status.ts";

/** A source, as far as it can be checked. */
export interface SourcePlace {
  /** Distinguishes it from the others; `source` where it is the only one. */
  readonly name: string;
  /** Its name in the configuration, such as `S3Source`. */
  readonly kind: string;
  readonly isRemote: boolean;
  readonly reach: NonNullable<Source["reach"]>;
}

/** The sources that can report whether they are reachable. */
export const placesOf = (parts: readonly SourcePart[]): readonly SourcePlace[] =>
  parts.flatMap(({ name, kind, source }) =>
    source.reach === undefined
      ? []
      : [
          {
            name: parts.length === 1 ? "source" : `${name}, ${kind}`,
            kind,
            isRemote: source.origins !== undefined,
            reach: (signal) => source.reach?.(signal) ?? Promise.resolve("there"),
          },
        ],
  );

/**
 * Minimum milliseconds between two checks of a remote service: anybody may request the server's
 * health.
 */
const askedMs = 5_000;

/** The result of the last check. */
interface LastCheck {
  readonly at: number;
  readonly outcome: Promise<"there" | "empty">;
}

/** Checks whether sources are reachable. */
export class SourceChecks {
  readonly #places: readonly SourcePlace[];
  readonly #now: () => number;
  readonly #asked = new Map<SourcePlace, LastCheck>();

  constructor(places: readonly SourcePlace[], now = () => performance.now()) {
    this.#places = places;
    this.#now = now;
  }

  get checks(): readonly Checking[] {
    return this.#places.map((place) => ({
      name: place.name,
      look: async (signal): Promise<Finding> => {
        await this.#reach(place, signal);
        return undefined;
      },
    }));
  }

  /** Whether the sources of a kind are entirely empty; false where none of them can tell. */
  async isEmpty(kind: string, signal: AbortSignal): Promise<boolean> {
    const same = this.#places.filter((place) => place.kind === kind);
    const found = await Promise.all(same.map((place) => this.#reach(place, signal)));
    return found.length > 0 && found.every((one) => one === "empty");
  }

  async #reach(place: SourcePlace, signal: AbortSignal): Promise<"there" | "empty"> {
    if (!place.isRemote) return place.reach(signal);
    const before = this.#asked.get(place);
    if (before && this.#now() - before.at < askedMs) return before.outcome;
    const outcome = place.reach(signal).catch((error: unknown) => {
      // Results are shared, timeouts included.
      const isLate = signal.reason instanceof ServerError && signal.reason.failure === "late";
      if (signal.aborted && !isLate && this.#asked.get(place) === asked) this.#asked.delete(place);
      throw told(error);
    });
    outcome.catch(() => undefined);
    const asked = { at: this.#now(), outcome };
    this.#asked.set(place, asked);
    return outcome;
  }
}

/** Messages of remote services name things that are not public; the log has them. */
const told = (error: unknown): ServerError =>
  new ServerError("upstream", `It cannot be reached: ${diagnose(error).found}.`, { cause: error });

/** Maximum number of servers named. */
const maxNamed = 10;

/**
 * Servers that failed and are not asked, or tried again: RED where all servers of a source are
 * affected.
 */
export const brokenOrigins = (sources: readonly SourceStatus[] = []): readonly Checking[] =>
  sources.flatMap(({ kind, origins }) => {
    const broken = origins.filter(({ breaker }) => breaker !== "closed");
    const isDown = origins.every(({ breaker }) => breaker === "open");
    const color = isDown ? "RED" : "YELLOW";
    const rest = broken.length - maxNamed;
    return [
      ...broken.slice(0, maxNamed).map(({ origin, breaker }) => ({
        name: `${kind}, ${origin}`,
        look: async (): Promise<Finding> => ({ color, message: messages[breaker] }),
      })),
      ...(rest > 0
        ? [
            {
              name: `${kind}, ${rest} more`,
              look: async (): Promise<Finding> => ({ color, message: "They failed repeatedly." }),
            },
          ]
        : []),
    ];
  });

const messages: Readonly<Record<OriginStatus["breaker"], string>> = {
  closed: "It answers.",
  open: "It failed repeatedly and is not asked for a while.",
  trying: "It failed repeatedly and is tried again.",
};
