import { variableOf } from "../config/environment.ts";
import type { ConfigFile } from "../config/file.ts";
import type { Definition } from "../config/keys.ts";
import { definitionOf, definitionsOf } from "../config/layers.ts";
import { mask, masked } from "../config/masked.ts";
import { expectation, formatValue } from "../config/parse.ts";
import type { ConfigurationProblem } from "../config/problems.ts";
import { isSecret, shownValue } from "../config/secrets.ts";
import type { Logger } from "../core/log.ts";
import type {
  ChangeOutcome,
  ChangeProblem,
  Changes,
  ConfigurationEntry,
  ConfigurationReport,
} from "./configuration.ts";
import { sentences } from "./sentences.ts";

/** Shows and changes the configuration, in the process that writes its files. */
export interface Configuring {
  report(): ConfigurationReport;
  written(how: { readonly secrets: boolean }): Readonly<Record<string, string>>;
  check(changes: Changes): readonly ChangeProblem[];
  /** `spread` sends the changes to other processes; the files are written once they have them. */
  change(changes: Changes, spread: () => Promise<void>): Promise<ChangeOutcome>;
}

export const createConfiguring = (file: ConfigFile, log: Logger): Configuring => {
  const definitions = definitionsOf(file.groups);
  const shown = (key: string, text: string): string =>
    shownValue(key, text, definitionOf(definitions, key));

  const entry = (key: string, definition: Definition): ConfigurationEntry => {
    const text = (value: unknown): string => shown(key, formatValue(definition, value));
    const waits = file.pending.includes(key);
    const lock = file.lockOf(key);
    return {
      key,
      definition,
      expects: expectation(definition),
      value: text(file.snapshot[key]),
      ...(waits ? { waiting: text(file.settled(key)) } : {}),
      default: formatValue(definition, definition.default),
      origin: file.origin(key),
      variable: variableOf(key),
      secret: isSecret(key, definition),
      ...(lock ? { lock } : {}),
    };
  };

  /** The changes without masks that came back unchanged, and those that are invalid. */
  const unmasked = (
    changes: Changes,
  ): { readonly changes: Changes; readonly problems: readonly ChangeProblem[] } => {
    const written = file.written();
    const problems: ChangeProblem[] = [];
    const kept = Object.entries(changes).filter(([key, value]) => {
      if (typeof value !== "string" || !value.includes(mask)) return true;
      const definition = definitionOf(definitions, key);
      const known = [written[key], definition && formatValue(definition, file.snapshot[key])];
      const isShown = known.some((text) => text !== undefined && shown(key, text) === value.trim());
      if (isShown || (isSecret(key, definition) && value.trim() === mask)) return false;
      // Rejected as a different value.
      if (file.lockOf(key)) return true;
      problems.push({
        key,
        message: `${masked(key)}: expected a whole value, got one with ${mask} in it, which only stands for a secret that is left as it is.`,
      });
      return false;
    });
    return { changes: Object.fromEntries(kept), problems };
  };

  return {
    report: () => ({
      groups: file.groups.map(({ title, keys }) => ({
        title,
        entries: Object.entries(keys).map(([key, definition]) => entry(key, definition)),
      })),
      files: file.files,
      pending: file.pending,
      unwritten: file.unwritten,
      problems: [...file.problems.errors, ...file.problems.warnings, ...file.problems.notes].map(
        ({ severity, message, key }) => ({
          severity,
          message: masked(message),
          ...(key === undefined ? {} : { key }),
        }),
      ),
    }),

    written: ({ secrets }) => {
      const written = file.written();
      if (secrets) return written;
      return Object.fromEntries(
        Object.entries(written).map(([key, text]) => [key, shown(key, text)]),
      );
    },

    check(given) {
      const { changes, problems } = unmasked(given);
      return [...problems, ...file.faults(changes).map(plain)];
    },

    async change(given, spread) {
      const { changes, problems } = unmasked(given);
      // Other faults are reported at the same time, and nothing is applied.
      if (problems.length > 0)
        return { ok: false, problems: [...problems, ...file.faults(changes).map(plain)] };
      const before = file.written();
      const change = file.set(changes);
      if (change.problems.length > 0) return { ok: false, problems: change.problems.map(plain) };
      const after = file.written();
      await spread();
      const written = await file.flush().then(
        () => file.files.length > 0,
        (error: unknown) => {
          log.error(
            "Configuration changes are in effect, but could not be written to the file; retrying.",
            { error },
          );
          return false;
        },
      );
      const changed = Object.keys(changes).filter((key) => before[key] !== after[key]);
      if (changed.length > 0) log.info("The configuration was changed", { changed, written });
      return {
        ok: true,
        changed,
        pending: change.pending,
        overridden: change.overridden,
        warnings: sentences(file.running.warnings),
        written,
      };
    },
  };
};

const plain = ({ key, message, fileOnly }: ConfigurationProblem): ChangeProblem => ({
  ...(key === undefined ? {} : { key }),
  message,
  ...(fileOnly === true ? { fileOnly } : {}),
});
