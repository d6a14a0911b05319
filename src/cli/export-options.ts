/** The options of the command line. */
export interface ExportOptions {
  readonly baseUrl: string;
  readonly folder?: string | undefined;
  readonly api?: string | undefined;
  readonly tile?: number | undefined;
  readonly format?: readonly [string, ...string[]] | undefined;
  readonly quality?: number | undefined;
  readonly sizes?: readonly number[] | undefined;
  readonly maxPixels?: number | undefined;
  readonly viewer?: true | undefined;
  readonly manifest?: true | undefined;
  readonly delete?: true | undefined;
  readonly cacheControl?: string | undefined;
  readonly workers?: number | undefined;
  readonly temp?: string | undefined;
  readonly quiet?: true | undefined;
  readonly config?: string | undefined;
}

/** What is exported: a file or folder, an image of the configured source, or all of it. */
export type ExportInput =
  | { readonly path: string }
  | { readonly identifier: string }
  | { readonly folder: string };
