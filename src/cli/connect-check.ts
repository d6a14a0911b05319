import { httpDelegateAt } from "../app/delegate.ts";
import { keyGroups } from "../app/keys.ts";
import { sourceParts } from "../app/source.ts";
import type { Environment } from "../config/environment.ts";
import { loadConfig } from "../config/file.ts";
import { sourceFailureText } from "../conversion/failure-report.ts";
import { untilAborted } from "../core/abort.ts";
import { silent } from "../core/log.ts";
import type { SourcePart } from "../core/source.ts";
import { httpDelegateUrl } from "../delegate/http/delegate.ts";
import { createSource } from "../sources/choosing.ts";

/** The results of trying each source, in lines. */
export interface Connections {
  readonly reached: readonly string[];
  readonly unreached: readonly string[];
}

/** Time limit of a source's answer in milliseconds. */
const maxMs = 15_000;

/** Tries whether each configured source can be reached, and the delegate where it is remote. */
export const checkConnections = async (
  path: string,
  env: Environment,
  signal: AbortSignal,
): Promise<Connections> => {
  const loaded = await loadConfig({ groups: keyGroups, env, path });
  const { config } = loaded;
  const source = createSource(config, silent);
  const url = httpDelegateUrl(config);
  const delegate = url && httpDelegateAt(config, silent, url);
  const parts = delegate
    ? [{ name: "delegate.http.url", kind: "delegate.http", source: delegate }]
    : [];
  try {
    return await connectTo([...sourceParts(config, source), ...parts], signal);
  } finally {
    await delegate?.end();
    await source.close?.();
    await loaded.close();
  }
};

/** Tries all sources concurrently, each with the same time limit. */
export const connectTo = async (
  parts: readonly CheckedSource[],
  signal: AbortSignal,
  ms = maxMs,
): Promise<Connections> => {
  const outcomes = await Promise.all(parts.map((part) => connect(part, signal, ms)));
  const those = (isReached: boolean): readonly string[] =>
    outcomes.filter((one) => one.isReached === isReached).map(({ line }) => line);
  return { reached: those(true), unreached: those(false) };
};

interface ConnectionReport {
  readonly isReached: boolean;
  readonly line: string;
}

/** A source, or another service that can be checked. */
type CheckedSource = Pick<SourcePart, "name" | "kind"> & {
  readonly source: Pick<SourcePart["source"], "reach">;
};

const connect = async (
  { name, kind, source }: CheckedSource,
  signal: AbortSignal,
  maxMs: number,
): Promise<ConnectionReport> => {
  const of = `${name} (${kind})`;
  if (source.reach === undefined)
    return {
      isReached: true,
      line: `${of}: not tried, since only a request for an image can tell; 'vitrine inspect --identifier ID' does.`,
    };
  const both = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
  const began = performance.now();
  try {
    const found = await untilAborted(both, source.reach(both));
    const ms = Math.round(performance.now() - began);
    return { isReached: true, line: `${of}: ${states[found]} (${ms} ms).` };
  } catch (error) {
    return { isReached: false, line: `${of}: ${sourceFailureText(error)}` };
  }
};

const states = {
  there: "reachable",
  empty: "reachable, but empty",
} as const;
