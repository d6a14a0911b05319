import type { ConfigFile } from "../config/file.ts";
import type { Config } from "../config/store.ts";
import { forwardedAddressWarning } from "./forwarded-address.ts";
import { sentences } from "./sentences.ts";

/** The inputs of warnings. */
export interface Warned {
  readonly config: Config;
  readonly file: ConfigFile | undefined;
  /** Number of workers that answered, and the intended number. */
  readonly workers: number;
  readonly wanted: number;
  /** Settings that do not fit the available memory; default none. */
  readonly memory?: readonly string[];
}

/** What an operator should look at, in sentences. */
export const warningsOf = ({
  config,
  file,
  workers,
  wanted,
  memory = [],
}: Warned): readonly string[] => {
  const warnings: string[] = [...memory];
  if (workers < wanted)
    warnings.push(
      `${wanted - workers} of ${wanted} workers did not answer in time or are missing.`,
    );
  if (file && file.pending.length > 0)
    warnings.push(`Changes wait for a restart: ${file.pending.join(", ")}.`);
  if (file && file.files.length === 0)
    warnings.push("There is no configuration file: changes are lost when the server stops.");
  else if (file && file.unwritten.length > 0)
    warnings.push(`Changes are not in the configuration file yet: ${file.unwritten.join(", ")}.`);
  if (file && file.problems.errors.length > 0)
    warnings.push(
      "The configuration file is invalid; the server keeps its previous settings.",
      ...sentences(file.problems.errors),
    );
  const forwarded = forwardedAddressWarning(config);
  if (forwarded !== undefined) warnings.push(forwarded);
  if (file) warnings.push(...sentences(file.running.warnings));
  for (const [key, unsafe] of Object.entries(unsafeSettings))
    if (config.current[key] === unsafe.value) warnings.push(`${key}: ${unsafe.because}`);
  return warnings;
};

/** Settings that are fine temporarily, or not for everybody. */
const unsafeSettings: Readonly<
  Record<string, { readonly value: unknown; readonly because: string }>
> = {
  print_stack_trace_on_error_pages: {
    value: true,
    because: "error responses reveal file names and code to everyone.",
  },
  "FilesystemSource.follow_symlinks": {
    value: true,
    because: "symbolic links below the prefix may lead anywhere on the machine.",
  },
  "endpoint.api.show_secrets": {
    value: true,
    because: "everyone who reads the configuration through the API sees all passwords in it.",
  },
  "endpoint.api.change_file_only_keys": {
    value: true,
    because:
      "everyone who logs in to the API or the control panel can run programs and read files on this machine.",
  },
  max_pixels: { value: 0, because: "images may be requested in any size." },
  "http.server_timing": {
    value: "all",
    because: "all clients get the stages of every response.",
  },
};
