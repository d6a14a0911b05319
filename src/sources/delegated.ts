import type { Keys } from "../config/keys.ts";
import type { Config } from "../config/store.ts";
import type { RequestContext } from "../core/context.ts";
import type { AnswerCheck, Delegate } from "../core/delegate.ts";
import { fail } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import type { Source, SourcePart } from "../core/source.ts";
import { isDelegateEnabled } from "../delegate/http/keys.ts";
import { sourceKeys, sourceNames, sources } from "./index.ts";
import type { SourceKind } from "./kind.ts";
import { openOnce } from "./lazy.ts";
import type { Remote } from "./remote/remote.ts";
import { readRule, ruleNumbers, settingsUnder } from "./rules.ts";
import { isScripted, noImage, sessionOf } from "./script.ts";

type SourceName = (typeof sourceNames)[number];

const kinds: Readonly<Record<SourceName, SourceKind<Keys>>> = sources;

/** Results of the delegate's method `source`. */
const chosenSource: AnswerCheck<SourceName> = {
  expected: `one of ${sourceNames.join(", ")}`,
  read: (answer) => sourceNames.find((name) => name === answer),
};

/**
 * The sources that the delegate chooses among. Each is created when first chosen, from the keys of
 * its kind; its `find` throws `internal` where these are invalid.
 */
export const delegatedParts = (
  config: Config,
  log: Logger,
  remote: Remote,
): readonly SourcePart[] =>
  sourceNames.map((kind) => ({
    name: "source.delegate",
    kind,
    source: madeLater(kind, { config, log, remote }),
  }));

/** Finds images in the source that the delegate chooses. */
export const findByDelegate =
  (parts: readonly SourcePart[]): Source["find"] =>
  async (identifier, context) => {
    const name = await sessionOf(context).call("source", chosenSource);
    const part = parts.find(({ kind }) => kind === name);
    return part === undefined
      ? noImage(identifier)
      : { ...(await part.source.find(identifier, context)), kind: name };
  };

interface MakingParts {
  readonly config: Config;
  readonly log: Logger;
  readonly remote: Remote;
}

const madeLater = (name: SourceName, { config, log, remote }: MakingParts): Source => {
  const kind = kinds[name];
  const settings = config.view(kind.keys);
  let made: Source | undefined;
  const source = openOnce(async () => {
    const wrong = await kind.unusable?.(settings());
    if (wrong !== undefined) return fail("internal", `The delegate chose ${name}. ${wrong}`);
    made = kind.create(settings, log, remote);
    return made;
  });
  return {
    find: async (identifier, context) => (await source.get()).find(identifier, context),
    ...(name === "FilesystemSource" ? {} : { origins: () => made?.origins?.() ?? [] }),
    async close() {
      const opened = await source.opened()?.catch(() => undefined);
      await opened?.close?.();
    },
  };
};

/**
 * A source whose lookups have a delegate session: the request's, or else one that knows the
 * identifier only. A rule that rewrites the identifier does not change the delegate's context.
 */
export const withSessions = (source: Source, delegate: Delegate): Source => ({
  ...source,
  find: (identifier, context) => source.find(identifier, sessioned(context, delegate)),
});

const sessioned = (context: RequestContext, delegate: Delegate): RequestContext => {
  if (context.delegate) return context;
  const { identifier, requestId: id, signal } = context;
  return { ...context, delegate: delegate.session({ identifier }, { id, signal }) };
};

/** Which setting needs a delegate that is not enabled, in a sentence; undefined where none does. */
export const lackingDelegate = (config: Config): string | undefined => {
  if (isDelegateEnabled(config.current)) return undefined;
  const told = asksDelegate(config);
  return told === undefined
    ? undefined
    : `${told}, but no delegate is enabled. Set delegate_script.enabled and delegate_script.pathname, or delegate.http.url, or change that key.`;
};

const asksDelegate = (config: Config): string | undefined => {
  if (config.current["meta_identifier.transformer"] === "DelegateMetaIdentifierTransformer")
    return "meta_identifier.transformer is DelegateMetaIdentifierTransformer: the delegate reads identifiers";
  const fixed = config.view(sourceKeys)();
  if (fixed["source.delegate"])
    return "source.delegate is true: the delegate chooses the source of each image";
  for (const number of ruleNumbers(config)) {
    const { name, kind } = readRule(config, number);
    const settings = settingsUnder(config, name, kinds[kind].keys)();
    if (isScripted(settings[strategyOf(kind)])) return `${name}: ${lookedUp(strategyOf(kind))}`;
  }
  const kind = fixed["source.static"];
  const strategy = strategyOf(kind);
  return isScripted(config.view(kinds[kind].keys)()[strategy]) ? lookedUp(strategy) : undefined;
};

const strategyOf = (kind: SourceName): string => `${kind}.lookup_strategy`;

const lookedUp = (key: string): string =>
  `${key} is ScriptLookupStrategy: the delegate says where images are`;
