import { statfs } from "node:fs/promises";
import type { Config } from "../config/store.ts";
import { ServerError } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { SingleFlight } from "../core/singleflight.ts";
import { type Checking, type Finding, runCheck, worseColor } from "./checks.ts";
import type { Color, HealthReport } from "./health.ts";
import { healthKeys } from "./health-keys.ts";
import type { ServedImage } from "./member.ts";
import { brokenOrigins, SourceChecks, type SourcePlace } from "./source-checks.ts";
import type { SourceStatus } from "./status.ts";

/** Runs health checks. */
export interface Health {
  /**
   * As `endpoint.health.dependency_check` says: that this process responds, or all dependencies.
   */
  report(signal: AbortSignal): Promise<HealthReport>;
  /** All dependencies, whatever the configuration says. */
  examine(signal: AbortSignal): Promise<HealthReport>;
  /** Whether requests can be served: the source can be reached. */
  ready(signal: AbortSignal): Promise<HealthReport>;
}

/** The inputs of the health check. */
export interface HealthParts {
  readonly config: Config;
  readonly log: Logger;
  /** Images read recently; the check reads them again. */
  readonly served: () => Promise<readonly ServedImage[]>;
  /** Forgets an image that no longer exists. */
  readonly forget: (identifier: string) => void;
  readonly probeImage: (identifier: string, signal: AbortSignal) => Promise<void>;
  /** The sources; default none. */
  readonly places?: readonly SourcePlace[];
  /** The known servers of sources; default none. */
  readonly sources?: () => Promise<readonly SourceStatus[]>;
  /** The caches by name. */
  readonly caches: readonly (Omit<Checking, "look"> & {
    readonly attempt: (signal: AbortSignal) => Promise<void>;
  })[];
  /** Keys for features that are not available; default none. */
  readonly ineffective?: () => readonly string[];
  /** Folders on disks that are written to. */
  readonly folders: () => readonly string[];
  /** Memory available to this process in bytes. */
  readonly memory?: () => number;
}

export const createHealth = (parts: HealthParts): Health => {
  const { config, log, served, forget, probeImage, caches, folders } = parts;
  const memory = parts.memory ?? (() => process.availableMemory());
  const settings = config.view(healthKeys);
  const flights = new SingleFlight<HealthReport>();
  const places = new SourceChecks(parts.places ?? []);

  const image = ({ source, format, identifier }: ServedImage): Checking => ({
    name: `${source}, ${format}`,
    async look(signal) {
      try {
        await probeImage(identifier, signal);
        return undefined;
      } catch (error) {
        return findingOf(error, { source, identifier }, signal);
      }
    },
  });

  /** The finding on an image that could be read before and cannot now. */
  const findingOf = async (
    error: unknown,
    { source, identifier }: Pick<ServedImage, "source" | "identifier">,
    signal: AbortSignal,
  ): Promise<Finding> => {
    if (!(error instanceof ServerError)) throw error;
    // Under overload nothing more is rendered, as designed.
    if (error.failure === "busy") return undefined;
    if (error.failure !== "missing") throw error;
    // An image may be removed; all of them disappearing at once is another matter.
    if (await places.isEmpty(source, signal))
      throw new ServerError("upstream", "The source is reachable, but empty.");
    forget(identifier);
    return undefined;
  };

  /** Known without checking. */
  const configuration = (): readonly Checking[] => {
    const keys = parts.ineffective?.() ?? [];
    return keys.length === 0 ? [] : [vain(keys)];
  };

  /** Servers of sources that are not asked because they failed; known without checking. */
  const servers = async (): Promise<readonly Checking[]> => brokenOrigins(await parts.sources?.());

  const checks = async (): Promise<readonly Checking[]> => {
    const { "endpoint.health.min_disk_space": disk, "endpoint.health.min_memory": min } =
      settings();
    return [
      ...configuration(),
      ...places.checks,
      ...(await servers()),
      ...(await served()).map(image),
      ...caches.map(({ name, attempt }) => ({
        name,
        look: async (signal: AbortSignal): Promise<Finding> => {
          await attempt(signal);
          return undefined;
        },
      })),
      ...(disk > 0 ? folders().map((folder, at) => space(folder, at, disk)) : []),
      ...(min > 0
        ? [{ name: "memory", look: async () => scarce(memory(), min, "of memory") }]
        : []),
    ];
  };

  const run = async (found: readonly Checking[], signal: AbortSignal): Promise<HealthReport> => {
    const ms = settings()["endpoint.health.timeout"] * 1_000;
    const all = await Promise.all(found.map((checking) => runCheck(checking, { ms, signal }, log)));
    const wrong = all.filter(({ color }) => color !== "GREEN");
    return {
      color: all.reduce<Color>((color, check) => worseColor(color, check.color), "GREEN"),
      message:
        wrong.length === 0
          ? null
          : wrong.map(({ name, message }) => `${name}: ${message}`).join(" "),
      checks: all,
    };
  };

  const examine = (signal: AbortSignal): Promise<HealthReport> =>
    flights.run("report", signal, async (shared) => run(await checks(), shared));

  return {
    report: (signal) =>
      settings()["endpoint.health.dependency_check"]
        ? examine(signal)
        : flights.run("known", signal, async (shared) =>
            run([...configuration(), ...places.checks, ...(await servers())], shared),
          ),
    examine,
    ready: (signal) => flights.run("ready", signal, (shared) => run(places.checks, shared)),
  };
};

/** Strangers may read it: it names keys, but neither values nor files. */
const vain = (keys: readonly string[]): Checking => ({
  name: "configuration",
  async look() {
    const named = keys.slice(0, maxNamed).join(", ");
    const more = keys.length > maxNamed ? ` and ${keys.length - maxNamed} more` : "";
    return {
      color: "YELLOW",
      message: `${named}${more} ${keys.length === 1 ? "asks" : "ask"} for something that has no effect; see the server's log and /status.`,
    };
  },
});

/** Maximum number of keys named. */
const maxNamed = 10;

/** Folders are identified by number: their paths are not public. */
const space = (folder: string, at: number, min: number): Checking => ({
  name: `disk space ${at + 1}`,
  async look() {
    const { bavail, bsize } = await statfs(folder);
    return scarce(bavail * bsize, min, "on the disk");
  },
});

const scarce = (bytes: number, min: number, where: string): Finding => {
  if (bytes >= min) return undefined;
  const text = (count: number): string => `${Math.floor(count / 2 ** 20)} MB`;
  return {
    color: bytes < min / 10 ? "RED" : "YELLOW",
    message: `Only ${text(bytes)} are left ${where}; expected at least ${text(min)}.`,
  };
};
