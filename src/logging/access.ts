import { type StageTimes, thousandths, type WayName } from "../core/timings.ts";

/** One answered request in the access log. */
export interface AccessEntry {
  /** The client's address. */
  readonly remote: string;
  readonly user?: string;
  /** Arrival of the request. */
  readonly time: Date;
  readonly method: string;
  /** The request target as received. */
  readonly target: string;
  /** As in `HTTP/1.1`. */
  readonly protocol: string;
  /** 499 when the client disconnected before the response. */
  readonly status: number;
  /** Of the body sent. */
  readonly bytes: number;
  readonly referrer?: string;
  readonly agent?: string;
  /** From the request's arrival to the last byte of its response. */
  readonly milliseconds: number;
  /** The request's id, as in responses and in the application log. */
  readonly request?: string;
  /** The requested image. */
  readonly identifier?: string;
  /** Milliseconds of each stage until the response was ready to be sent. */
  readonly stages?: StageTimes;
  /** How the image was made; absent where it was cached, and without an image. */
  readonly way?: WayName | undefined;
}

/** The format of access log entries. */
export const accessFormats = ["combined", "json"] as const;

/** A line of the access log, including its line break. */
export const accessLine = (entry: AccessEntry, format: (typeof accessFormats)[number]): string =>
  `${format === "json" ? asJson(entry) : combined(entry)}\n`;

const asJson = ({ time, milliseconds, ...entry }: AccessEntry): string =>
  JSON.stringify({
    "@timestamp": time.toISOString(),
    "@version": "1",
    ...entry,
    milliseconds: thousandths(milliseconds),
  });

/**
 * The entry in the NCSA combined format with the duration in milliseconds appended; no line break.
 */
export const combined = (entry: AccessEntry): string => {
  const request = `${entry.method} ${entry.target} ${entry.protocol}`;
  const spent = entry.milliseconds.toFixed(1);
  return (
    `${entry.remote} - ${bare(entry.user)} [${clfTime(entry.time)}] "${quoted(request)}" ` +
    `${entry.status} ${entry.bytes} "${quoted(entry.referrer)}" "${quoted(entry.agent)}" ${spent}`
  );
};

const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

const two = (value: number): string => String(value).padStart(2, "0");

const clfTime = (time: Date): string => {
  const offset = -time.getTimezoneOffset();
  const zone = Math.abs(offset);
  const date = `${two(time.getDate())}/${months[time.getMonth()]}/${time.getFullYear()}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
  const sign = offset < 0 ? "-" : "+";
  return `${date}:${clock} ${sign}${two(Math.trunc(zone / 60))}${two(zone % 60)}`;
};

// A client's data must end neither its field nor its line.
const quoted = (text: string | undefined): string =>
  text === undefined || text === ""
    ? "-"
    : text.replace(
        // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
        /["\\\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
        (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
      );

const bare = (text: string | undefined): string => quoted(text).replaceAll(" ", "\\x20");
