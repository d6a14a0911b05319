import type { RubyError } from "./messages.ts";

/**
 * A Ruby exception, or the reason why it could not be called. The log shows it; responses never do.
 */
export class RubyFailure extends Error {
  override readonly name: string;

  /** `script` is the absolute path of the delegate: its innermost line is part of the message. */
  constructor({ class: name, message, lines }: RubyError, script: string) {
    const place = placeOf(lines, script);
    // Messages about syntax name their line themselves.
    super(place === undefined || message.includes(place) ? message : `${message} (${place})`);
    this.name = name;
    this.stack = [`${name}: ${this.message}`, ...lines.map((line) => `    at ${line}`)].join("\n");
  }
}

/** File and line, without the rest. */
const placeOf = (lines: readonly string[], script: string): string | undefined => {
  const line = lines.find((one) => one.startsWith(`${script}:`)) ?? lines[0];
  return line === undefined ? undefined : (/^.*?:\d+/.exec(line)?.[0] ?? undefined);
};
