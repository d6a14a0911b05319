import { memoryKeys } from "../caches/memory.ts";
import { environment } from "../config/environment.ts";
import type { Definition } from "../config/keys.ts";
import { definitionsOf } from "../config/layers.ts";
import type { Machine } from "../config/machine.ts";
import { memoryKeys as budgetKeys, minMemory } from "../config/memory-keys.ts";
import type { Config } from "../config/store.ts";
import { type Budget, budgetOf } from "../core/budget.ts";
import type { ShareName, Shares } from "../core/shares.ts";
import { delegateKeys } from "../delegate/keys.ts";
import { isRuby, scriptVariable } from "../delegate/locate.ts";
import { cachingKeys } from "../service/caching-keys.ts";
import { isAnyRemote } from "../sources/choosing.ts";
import { workerKeys } from "../supervisor/keys.ts";
import { workerCount } from "../supervisor/workers.ts";
import { keyGroups } from "./keys.ts";

/** Memory and processors that the server may use, and where the limits come from. */
export interface Memory {
  readonly bytes: number;
  readonly by: "memory.budget" | "container" | "machine";
}

/**
 * The fraction of a machine's memory used without a limit: other programs need some, and so does
 * the page cache.
 */
const partOfMachine = 0.75;

/** Total memory for everything. */
export const memoryFor = (config: Config, { memory, isLimited }: Machine): Memory => {
  const set = config.view(budgetKeys)()["memory.budget"];
  if (set !== null) return { bytes: set, by: "memory.budget" };
  if (isLimited) return { bytes: memory, by: "container" };
  return { bytes: Math.floor(memory * partOfMachine), by: "machine" };
};

/** Why a server cannot start with so much memory; undefined where it can. */
export const memoryShortage = ({ bytes, by }: Memory): string | undefined =>
  bytes >= minMemory
    ? undefined
    : `There are ${megabytes(bytes)} MB of memory for the server (${sources[by]}), and it needs at least ${megabytes(minMemory)} MB. Give it more, or set memory.budget.`;

const sources: Readonly<Record<Memory["by"], string>> = {
  "memory.budget": "memory.budget",
  container: "the limit of the container or service",
  machine: "three quarters of the machine's",
};

/** Divides memory among the parts of a server as configured. */
export const configuredBudget = (
  config: Config,
  memory: Pick<Memory, "bytes">,
  { processors, workers }: { readonly processors: number; readonly workers: number },
): Budget => {
  const caching = config.view({ ...cachingKeys, ...memoryKeys })();
  const kind = caching["cache.server.derivative"];
  const isOn = caching["cache.server.derivative.enabled"] && kind !== "";
  return budgetOf({
    total: memory.bytes,
    workers,
    processors,
    set: Object.fromEntries(setShares(config).map(({ share, bytes }) => [share, bytes])),
    derivatives: !isOn ? "none" : kind === "HeapCache" ? "memory" : "front",
    frontShare: caching["HeapCache.front_share"],
    remote: isAnyRemote(config),
    ruby: rubyBytes(config),
  });
};

/** Number of workers for so much memory. */
export const configuredWorkers = (
  config: Config,
  memory: Pick<Memory, "bytes">,
  { processors }: Pick<Machine, "processors">,
): number => workerCount(config.view(workerKeys)(), { processors, memory: memory.bytes });

/** As `configuredBudget`, which the configuration applies from now on. */
export const shareMemory = (...[config, ...by]: Parameters<typeof configuredBudget>): Budget => {
  const budget = configuredBudget(config, ...by);
  config.share(budget.shares);
  return budget;
};

/** Settings that do not fit the available memory, in sentences. */
export const budgetWarnings = (
  config: Config,
  here: Machine,
  workers: number,
): readonly string[] => {
  const memory = memoryFor(config, here);
  const budget = configuredBudget(config, memory, { processors: here.processors, workers });
  const warnings: string[] = [];
  if (memory.bytes > here.memory)
    warnings.push(
      `memory.budget is ${megabytes(memory.bytes)} MB, but there are only ${megabytes(here.memory)} MB: the system may kill processes for lack of memory.`,
    );
  if (budget.taken > budget.total) {
    const keys = setShares(config).map(({ key }) => key);
    if (config.view(workerKeys)()["http.workers"] > 0) keys.push("http.workers");
    warnings.push(
      `The configured shares take ${megabytes(budget.taken)} MB in all, of ${megabytes(budget.total)} MB: the system may kill processes for lack of memory. Lower or remove some of ${keys.join(", ")}; 'vitrine explain --budget' shows each of them.`,
    );
  }
  return warnings;
};

/** Memory of a Ruby delegate in each worker; 0 without one. */
const rubyBytes = (config: Config): number => {
  const settings = config.view(delegateKeys)();
  const path = environment()[scriptVariable]?.trim() || settings["delegate_script.pathname"];
  return settings["delegate_script.enabled"] && isRuby(path)
    ? settings["delegate_script.ruby.memory"] * settings["delegate_script.ruby.threads"] + rubyCode
    : 0;
};

/** Memory of Ruby's compiled code besides its heap. */
const rubyCode = 100 * 2 ** 20;

/** Shares whose keys are set. */
const setShares = (
  config: Config,
): { readonly key: string; readonly share: ShareName; readonly bytes: number }[] => {
  const found: { key: string; share: ShareName; bytes: number }[] = [];
  for (const [key, definition] of definitionsOf(keyGroups)) {
    const share = shareOf(definition);
    const bytes = config.current[key];
    if (share !== undefined && typeof bytes === "number")
      found.push({ key, share, bytes: bytes < 0 ? (largest[share] ?? 0) : bytes });
  }
  return found;
};

const shareOf = (definition: Definition): ShareName | undefined =>
  "share" in definition ? definition.share : undefined;

/** The meaning of -1. */
const largest: Partial<Shares> = { decoder: 2 ** 31 };

/** Megabytes (10^6), as container runtimes and people count them. */
export const megabytes = (bytes: number): string => String(Math.floor(bytes / 1_000_000));
