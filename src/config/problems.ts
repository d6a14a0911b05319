/** Where a value comes from. `line` counts from 1. */
export type ProblemOrigin =
  | { readonly layer: "default" }
  | { readonly layer: "file"; readonly file: string; readonly line: number }
  | { readonly layer: "environment"; readonly variable: string }
  | { readonly layer: "runtime" };

/**
 * Something to say about a configuration. An error refuses it, a warning names what is probably not
 * meant, a note only tells what a key of Cantaloupe's comes to here.
 */
export interface ConfigurationProblem {
  readonly severity: "error" | "warning" | "note";
  /** A whole sentence: the key, what was expected, what came and from where. */
  readonly message: string;
  readonly key?: string;
  readonly origin?: ProblemOrigin;
  /**
   * Set on a warning where something is asked for that does not happen; the health check warns of
   * these.
   */
  readonly ineffective?: boolean;
  /**
   * Set on a warning of a bad value that a default holds instead of; the log has it as an error.
   */
  readonly givenWay?: true;
  /** Set where a change is refused for the key's being file only. */
  readonly fileOnly?: true;
  /** What `message` says of the key, where many keys may have it said of them. */
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

/** Says where a value comes from, as it stands in brackets behind a message. */
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

/** A value as it is quoted in messages: on one line, cut after 80 characters. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text);

const longest = 80;
