/** The origin of a value. `line` counts from 1. */
export type ProblemOrigin =
  | { readonly layer: "default" }
  | { readonly layer: "file"; readonly file: string; readonly line: number }
  | { readonly layer: "environment"; readonly variable: string }
  | { readonly layer: "runtime" };

/**
 * A remark on a configuration. An error makes it invalid, a warning names something probably
 * unintended, a note explains the effect of a key of Cantaloupe's.
 */
export interface ConfigurationProblem {
  readonly severity: "error" | "warning" | "note";
  /** A whole sentence: the key, what was expected, what came and from where. */
  readonly message: string;
  readonly key?: string;
  readonly origin?: ProblemOrigin;
  /** Set on a warning about a feature that is not available; the health check reports these. */
  readonly ineffective?: boolean;
  /**
   * Set on a warning about an invalid value that a default replaces; the log has it as an error.
   */
  readonly givenWay?: true;
  /** Set where a change is rejected because the key is file-only. */
  readonly fileOnly?: true;
  /** The statement about the key, where many keys may share it. */
  readonly remark?: string;
}

/** Problems by severity. */
export interface Problems {
  readonly errors: readonly ConfigurationProblem[];
  readonly warnings: readonly ConfigurationProblem[];
  readonly notes: readonly ConfigurationProblem[];
}

/** Sorts problems by severity, keeping their order. */
export const sorted = (problems: readonly ConfigurationProblem[]): Problems => ({
  errors: problems.filter(({ severity }) => severity === "error"),
  warnings: problems.filter(({ severity }) => severity === "warning"),
  notes: problems.filter(({ severity }) => severity === "note"),
});

/** The origin of a value, in brackets after a message. */
export const originText = (origin: ProblemOrigin): string => {
  switch (origin.layer) {
    case "default":
      return "the default";
    case "file":
      return `${origin.file}:${origin.line}`;
    case "environment":
      return `environment variable ${origin.variable}`;
    case "runtime":
      return "a change at run time";
  }
};

/** A value as quoted in messages: on one line, truncated after 80 characters. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text);

const longest = 80;
