import type { Sink } from "./sinks.ts";

/** Which times the text form prints: the console has the day anyway. */
export type Clock = "time" | "date and time";

/** Converts JSON entries to one readable line each; an error's stack follows, indented. */
export const asText = (sink: Sink, clock: Clock): Sink => ({
  write: (line) => sink.write(textOf(line, clock)),
  close: () => sink.close(),
});

/** One JSON entry as text. */
const textOf = (json: string, clock: Clock): string => {
  const entry: Record<string, unknown> = JSON.parse(json);
  const { "@timestamp": at, "@version": _v, level, level_value: _l, message, ...fields } = entry;
  const time = localTime(new Date(String(at)), clock);
  const stacks: string[] = [];
  const facts = Object.entries(fields).map(([name, value]) => {
    const stack = stackOf(value);
    if (stack === undefined) return ` ${name}=${plain(value)}`;
    stacks.push(stack);
    return "";
  });
  const head = `${time} ${String(level).padEnd(5)} ${oneLine(String(message))}${facts.join("")}`;
  return `${[head, ...stacks].join("\n")}\n`;
};

const two = (value: number): string => String(value).padStart(2, "0");

const localTime = (at: Date, clock: Clock): string => {
  const milliseconds = String(at.getMilliseconds()).padStart(3, "0");
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${milliseconds}`;
  return clock === "time"
    ? time
    : `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
};

const stackOf = (value: unknown): string | undefined => {
  if (typeof value !== "object" || value === null || !("stack" in value)) return undefined;
  return String(value.stack)
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) => `    ${oneLine(line.trim())}`)
    .join("\n");
};

const plain = (value: unknown): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "undefined");
  return typeof value === "string" && /[\s"=]/.test(text) ? JSON.stringify(text) : oneLine(text);
};

// A client's data must not start a line of its own or move a terminal's cursor.
const oneLine = (text: string): string =>
  text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
