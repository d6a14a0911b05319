/** Normal, a warning, a failure. */
export const colors = ["GREEN", "YELLOW", "RED"] as const;
export type Color = (typeof colors)[number];

/** What was found out about the server's health. */
export interface HealthReport {
  /** The worst of all checks. */
  readonly color: Color;
  /** What is wrong, the failing checks named; null where nothing is. */
  readonly message: string | null;
  /** In the order in which they are listed, whatever came first. */
  readonly checks: readonly Check[];
}

/** One thing that was looked at. */
export interface Check {
  /** As in `FilesystemSource, tif`. */
  readonly name: string;
  readonly color: Color;
  /** What was found wrong; absent where nothing was. */
  readonly message?: string;
  readonly milliseconds: number;
}
