import type { Keys, Settings } from "../config/keys.ts";
import type { Config } from "../config/store.ts";
import type { RequestContext } from "../core/context.ts";
import type { Delegate } from "../core/delegate.ts";
import { fail, ServerError } from "../core/errors.ts";
import { type Logger, silent } from "../core/log.ts";
import { noPermission } from "../core/no-permission.ts";
import type { Source, SourcePart } from "../core/source.ts";
import { delegatedParts, findByDelegate, lackingDelegate, withSessions } from "./delegated.ts";
import { sourceKeys, sources } from "./index.ts";
import type { SourceKind } from "./kind.ts";
import { remoteKeys } from "./remote/keys.ts";
import { createRemote, type Remote } from "./remote/remote.ts";
import { type Rule, RuleFault, readRule, ruleNumbers, settingsUnder } from "./rules.ts";
import { isScripted, noImage } from "./script.ts";

const kinds: Readonly<Record<string, SourceKind<Keys>>> = sources;

/**
 * The configured source: the static one, or those that rules and the delegate choose among. Without
 * `delegate`, lookups that need it throw `internal`. Throws `malformed` where the configuration
 * needs a delegate and enables none. `remote` is what remote sources share with others.
 */
export const createSource = (
  config: Config,
  log: Logger = silent,
  delegate?: Delegate,
  remote: Remote = createRemote(config.view(remoteKeys), log),
): Source => {
  const lacking = lackingDelegate(config);
  if (lacking !== undefined) fail("malformed", lacking);
  const source = chosen(config, log, remote);
  return delegate ? withSessions(source, delegate) : source;
};

const chosen = (config: Config, log: Logger, remote: Remote): Source => {
  const numbers = ruleNumbers(config);
  if (numbers.length === 0 && !isDelegated(config)) return fixed(config, log, remote);
  const ruled = numbers.map((number) => {
    const rule = readRule(config, number);
    const kind = kindOf(rule.kind);
    const source = kind.create(
      settingsUnder(config, rule.name, kind.keys),
      logFor(rule, log),
      remote,
    );
    return { rule, source };
  });
  return choosing(ruled, restOf(config, log, remote));
};

/** The source of images without a rule. */
const restOf = (config: Config, log: Logger, remote: Remote): Rest => {
  if (isDelegated(config)) {
    const parts = delegatedParts(config, log, remote);
    return { parts, find: findByDelegate(parts) };
  }
  if (isFixedUnset(config)) return { parts: [], find: async (identifier) => noImage(identifier) };
  const kind = fixedName(config);
  const source = fixed(config, log, remote);
  return {
    parts: [{ name: "source.static", kind, source }],
    find: async (identifier, context) => ({ ...(await source.find(identifier, context)), kind }),
  };
};

/**
 * Why a configuration cannot serve any image, in sentences; undefined where it can. Of rules the
 * first faulty one is reported.
 */
export const unusableSource = async (config: Config): Promise<string | undefined> => {
  const numbers = ruleNumbers(config);
  for (const number of numbers) {
    const wrong = await unusableRule(config, number);
    if (wrong !== undefined) return wrong;
  }
  const lacking = lackingDelegate(config);
  if (lacking !== undefined) return lacking;
  // Which of the others are needed is known only when the delegate chooses them.
  if (isDelegated(config)) return undefined;
  if (numbers.length > 0 && isFixedUnset(config)) return undefined;
  const kind = kindOf(fixedName(config));
  return kind.unusable?.(config.view(kind.keys)());
};

/** Whether images are, or may be, stored elsewhere than on this machine. */
export const isAnyRemote = (config: Config): boolean =>
  isDelegated(config) ||
  [
    fixedName(config),
    ...ruleNumbers(config).map((number) => config.current[`source.rules.${number}.source`]),
  ].some((name) => name !== "FilesystemSource");

const unusableRule = async (config: Config, number: number): Promise<string | undefined> => {
  try {
    const rule = readRule(config, number);
    const kind = kindOf(rule.kind);
    const wrong = await kind.unusable?.(settingsUnder(config, rule.name, kind.keys)());
    if (wrong !== undefined) return `${rule.name}: ${wrong}`;
    return rule.kind === "FilesystemSource" && isPathUnset(config, rule.name)
      ? `${rule.name}: ${pathKey} is blank: set it, or ${rule.name}.${pathKey}, to the folder of the images.`
      : undefined;
  } catch (error) {
    if (error instanceof RuleFault) return error.message;
    throw error;
  }
};

const isDelegated = (config: Config): boolean => config.view(sourceKeys)()["source.delegate"];

const fixedName = (config: Config): string => config.view(sourceKeys)()["source.static"];

const kindOf = (name: string): SourceKind<Keys> => kinds[name] ?? sources.FilesystemSource;

const fixed = (config: Config, log: Logger, remote: Remote): Source => {
  const kind = kindOf(fixedName(config));
  return kind.create(config.view(kind.keys), log, remote);
};

const pathKey = "FilesystemSource.BasicLookupStrategy.path_prefix";

/** Whether a rule uses files without naming a folder. */
const isPathUnset = (config: Config, name: string): boolean =>
  isWithoutPath(settingsUnder(config, name, sources.FilesystemSource.keys)());

const isWithoutPath = (settings: Settings<typeof sources.FilesystemSource.keys>): boolean =>
  settings[pathKey] === "" && !isScripted(settings["FilesystemSource.lookup_strategy"]);

/** Whether no source is configured for images without a rule, so that there are none. */
const isFixedUnset = (config: Config): boolean =>
  fixedName(config) === "FilesystemSource" &&
  isWithoutPath(config.view(sources.FilesystemSource.keys)());

/** A log whose entries name the rule. */
const logFor = ({ name: rule }: Rule, log: Logger): Logger => ({
  trace: (message, fields) => log.trace(message, { ...fields, rule }),
  debug: (message, fields) => log.debug(message, { ...fields, rule }),
  info: (message, fields) => log.info(message, { ...fields, rule }),
  warn: (message, fields) => log.warn(message, { ...fields, rule }),
  error: (message, fields) => log.error(message, { ...fields, rule }),
});

interface Ruled {
  readonly rule: Rule;
  readonly source: Source;
}

/** The source of identifiers without a rule. */
interface Rest {
  readonly parts: readonly SourcePart[];
  readonly find: Source["find"];
}

/** Sources chosen by the first matching rule, and one for identifiers without a rule. */
const choosing = (ruled: readonly Ruled[], rest: Rest): Source => {
  const parts: readonly SourcePart[] = [
    ...ruled.map(({ rule: { name, kind }, source }) => ({ name, kind, source })),
    ...rest.parts,
  ];
  return {
    parts,
    async find(identifier, context) {
      for (const { rule, source } of ruled) {
        const match = rule.pattern.find(identifier);
        if (match === undefined) continue;
        const object = rule.rewrite
          ? await findAs(source, rule.rewrite(match), identifier, context)
          : await source.find(identifier, context);
        return { ...object, kind: rule.kind };
      }
      return rest.find(identifier, context);
    },
    async reach(signal) {
      let found: "there" | "empty" = "empty";
      for (const { source } of parts)
        if ((await source.reach?.(signal)) !== "empty") found = "there";
      return found;
    },
    async close() {
      await Promise.all(parts.map(({ source }) => source.close?.()));
    },
  };
};

/** Finds an object under a rewritten identifier; errors name the original one. */
const findAs = async (
  source: Source,
  rewritten: string,
  identifier: string,
  context: RequestContext,
): ReturnType<Source["find"]> => {
  try {
    return await source.find(rewritten, { ...context, identifier: rewritten });
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    if (error.failure === "missing")
      return fail("missing", `There is no image '${identifier}'.`, error);
    if (error.failure === "denied") return fail("denied", noPermission(identifier), error);
    throw error;
  }
};
