import { parseArgs } from "node:util";

/** The options of `npm run bench`. */
export interface BenchOptions {
  readonly base: URL;
  /** Files with one path per line. */
  readonly urls: readonly string[];
  readonly clients: number;
  readonly seconds: number;
  readonly requests: number;
  /** Seconds of the same list beforehand that do not count. */
  readonly warmup: number;
  /** In milliseconds. */
  readonly timeout: number;
  /** Whether each list is gone through once at most. */
  readonly once: boolean;
  readonly pid: number | undefined;
  readonly json: boolean;
  readonly name: string;
  readonly accept: string | undefined;
}

/** What `--help` prints. */
export const usage = `Replays lists of URLs against an image server and says how fast it answers.

  npm run bench -- --urls bench/urls/viewer.txt [options]

  --base URL        where the server is            (http://127.0.0.1:8182)
  --urls FILE       a list, one path per line; may be given several times
  --clients N       how many ask at the same time  (8)
  --seconds N       how long                       (10)
  --requests N      how many requests at most      (no end but the time's)
  --once            each list once at the most: for a server whose cache is empty
  --warmup N        seconds beforehand that do not count (2; none with --once)
  --timeout N       milliseconds until an answer counts as lost (30000)
  --accept TYPE     the Accept header to send
  --pid N           the server's process           (the one that listens on the port)
  --json            writes the result to bench/results/
  --name NAME       what the result is called there (run)
  --allow-remote    lets --base be another machine: only one that is yours to load
`;

/**
 * Parses the command line; an `Error` says what is wrong with it, `undefined` means help is
 * requested.
 */
export const benchOptions = (args: readonly string[]): BenchOptions | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h" },
      base: { type: "string", default: "http://127.0.0.1:8182" },
      urls: { type: "string", multiple: true, default: [] },
      clients: { type: "string", default: "8" },
      seconds: { type: "string", default: "10" },
      requests: { type: "string", default: String(bounds.requests) },
      once: { type: "boolean", default: false },
      warmup: { type: "string" },
      timeout: { type: "string", default: "30000" },
      accept: { type: "string" },
      pid: { type: "string" },
      json: { type: "boolean", default: false },
      name: { type: "string", default: "run" },
      "allow-remote": { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  if (values.urls.length === 0)
    throw new Error("Expected --urls FILE, a list of paths; bench/urls.ts makes one.");
  if (!/^[\w.-]{1,60}$/.test(values.name))
    throw new Error(`Expected letters, digits, dots and dashes for --name, got "${values.name}"`);
  return {
    base: serverBase(values.base, { remote: values["allow-remote"] }),
    urls: values.urls,
    clients: whole("clients", values.clients, 1),
    seconds: whole("seconds", values.seconds, 1),
    requests: whole("requests", values.requests, 1),
    once: values.once,
    warmup: whole("warmup", values.warmup ?? (values.once ? "0" : "2"), 0),
    timeout: whole("timeout", values.timeout, 1),
    accept: values.accept,
    pid: values.pid === undefined ? undefined : whole("pid", values.pid, 1),
    json: values.json,
    name: values.name,
  };
};

/** Maximum of each option, so that no run is endless. */
const bounds = {
  clients: 256,
  seconds: 3600,
  requests: 10_000_000,
  warmup: 600,
  timeout: 600_000,
  pid: 2 ** 31,
} as const;

const whole = (name: keyof typeof bounds, given: string, min: number): number => {
  const value = Number(given);
  if (!/^\d+$/.test(given) || value < min || value > bounds[name])
    throw new Error(
      `Expected a whole number from ${min} to ${bounds[name]} for --${name}, got "${given}"`,
    );
  return value;
};

/** A server's address; rejects other machines unless allowed, since a run is a load. */
export const serverBase = (given: string, { remote }: { readonly remote: boolean }): URL => {
  const base = URL.canParse(given) ? new URL(given) : undefined;
  if (base?.protocol !== "http:")
    throw new Error(`Expected an http:// address for --base, got "${given}"`);
  if (!remote && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(base.hostname))
    throw new Error(
      `Expected this machine for --base, got ${base.hostname}; --allow-remote lets it be another.`,
    );
  return base;
};
