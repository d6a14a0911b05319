import { parseArgs } from "node:util";

/** The options of `npm run bench:rivals`. */
export interface RivalOptions {
  /** Where make-large.sh put its images. */
  readonly pictures: string;
  readonly only: RegExp;
  readonly servers: readonly string[];
  readonly seconds: number;
  readonly repetitions: number;
  /** Seconds of load that do not count, before each workload. */
  readonly warmup: number;
  readonly workers: number | undefined;
  /** Number of processes of IIPImage and of the bare server. */
  readonly processes: number;
  readonly vitrine: string;
  /** Another build of Vitrine to compare with, under the name "before". */
  readonly before: string | undefined;
  readonly iipsrv: string;
  readonly processorVersion: string;
  /** A file for the figures. */
  readonly json: string | undefined;
}

/** What `--help` prints. */
export const usage = `Measures Vitrine beside IIPImage and iiif-processor: the same load, in one run.

  npm run bench:rivals -- --pictures DIR [options]

  --pictures DIR     where the large pictures are; the end of a name says what it is for,
                     as in NAME-12000x9000-ptif-jpeg-t256-page.tif
  --only REGEX       which workloads               (all)
  --servers NAMES    of vitrine,before,iipsrv,iiif-processor,bare (all but before and bare)
  --seconds N        of each measurement           (4)
  --repetitions N    of each; the middle one counts (3)
  --warmup N         seconds of load before each workload that do not count (10)
  --workers N        Vitrine's processes           (as the server chooses)
  --processes N      IIPImage's and the bare server's (one per core)
  --vitrine FILE     the built server              (dist/cli/main.js)
  --before FILE      another build of Vitrine, for the server "before"
  --iipsrv FILE      the FastCGI program           (/usr/lib/iipimage-server/iipsrv.fcgi)
  --processor V      the version of iiif-processor (7.0.0)
  --json FILE        writes all figures
`;

/**
 * Parses the command line; an `Error` says what is wrong with it, `undefined` means help is
 * requested.
 */
export const rivalOptions = (args: readonly string[], cores: number): RivalOptions | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h" },
      pictures: { type: "string" },
      only: { type: "string", default: "" },
      servers: { type: "string", default: "vitrine,iipsrv,iiif-processor" },
      seconds: { type: "string", default: "4" },
      repetitions: { type: "string", default: "3" },
      warmup: { type: "string", default: "10" },
      workers: { type: "string" },
      processes: { type: "string", default: String(cores) },
      vitrine: { type: "string", default: "dist/cli/main.js" },
      before: { type: "string" },
      iipsrv: { type: "string", default: "/usr/lib/iipimage-server/iipsrv.fcgi" },
      processor: { type: "string", default: "7.0.0" },
      json: { type: "string" },
    },
  });
  if (values.help) return undefined;
  if (values.pictures === undefined) throw new Error("Expected --pictures DIR");
  const servers = values.servers.split(",");
  const unknown = servers.find((name) => !serverNames.includes(name));
  if (unknown !== undefined || !servers.includes("vitrine"))
    throw new Error(
      `Expected vitrine and any of ${serverNames.slice(1).join(", ")} for --servers, got "${values.servers}"`,
    );
  if (servers.includes("before") && values.before === undefined)
    throw new Error('Expected --before FILE for the server "before"');
  return {
    pictures: values.pictures,
    only: new RegExp(values.only),
    servers,
    seconds: whole("seconds", values.seconds, 600),
    repetitions: whole("repetitions", values.repetitions, 99),
    warmup: whole("warmup", values.warmup, 600),
    workers: values.workers === undefined ? undefined : whole("workers", values.workers, 256),
    processes: whole("processes", values.processes, 256),
    vitrine: values.vitrine,
    before: values.before,
    iipsrv: values.iipsrv,
    processorVersion: values.processor,
    json: values.json,
  };
};

const serverNames = ["vitrine", "before", "iipsrv", "iiif-processor", "bare"];

const whole = (name: string, given: string, max: number): number => {
  const value = Number(given);
  if (!/^\d+$/.test(given) || value < 1 || value > max)
    throw new Error(`Expected a whole number from 1 to ${max} for --${name}, got "${given}"`);
  return value;
};
