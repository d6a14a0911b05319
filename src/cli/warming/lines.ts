import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** A line of a file. */
export interface Line {
  /** Without its end. */
  readonly text: string;
  /** Counted from 1. */
  readonly number: number;
  /** Whether it has an end; the last one may not. */
  readonly isWhole: boolean;
}

/** Maximum length of a line in characters. */
const maxLine = 65_536;

/** The lines of a stream of UTF-8; throws where one is too long. */
export async function* linesOf(stream: Readable): AsyncGenerator<Line> {
  const decoder = new StringDecoder("utf8");
  let [rest, number] = ["", 0];
  for await (const chunk of stream) {
    const parts = (rest + decoder.write(chunk)).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts)
      yield { text: checked(trimmed(part), ++number), number, isWhole: true };
    checked(rest, number + 1);
  }
  rest += decoder.end();
  if (rest !== "") yield { text: trimmed(rest), number: number + 1, isWhole: false };
}

const trimmed = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line);

const checked = (line: string, number: number): string => {
  if (line.length > maxLine) throw new Error(`line ${number} is longer than ${maxLine} characters`);
  return line;
};
