/** Normal, a warning, a failure. */
export const colors = ["GREEN", "YELLOW", "RED"] as const;
export type Color = (typeof colors)[number];

/** The result of a health check. */
export interface HealthReport {
  /** The worst of all checks. */
  readonly color: Color;
  /** What is wrong, naming the failed checks; null where nothing is. */
  readonly message: string | null;
  /** In the listed order, whichever finished first. */
  readonly checks: readonly Check[];
}

/** One check. */
export interface Check {
  /** As in `FilesystemSource, tif`. */
  readonly name: string;
  readonly color: Color;
  /** What was found wrong; absent where nothing was. */
  readonly message?: string;
  readonly milliseconds: number;
}
