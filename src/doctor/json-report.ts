import type { Advice } from "./advice.ts";
import type { ObjectFacts } from "./facts.ts";
import type { Finding } from "./judging.ts";
import type { Summary } from "./summary.ts";

/** An object and its findings. */
export interface ReportedObject {
  readonly facts: ObjectFacts;
  readonly findings: readonly Finding[];
}

/** A report, without its objects. */
export interface Report {
  /** The folder, or the name of the source. */
  readonly collection: string;
  readonly made: Date;
  /** Whether only headers were read. */
  readonly quick: boolean;
  readonly summary: Summary;
  readonly advice: readonly Advice[];
}

/** Changes when a field is removed or changes its meaning; fields may be added without a change. */
const reportVersion = 1;

/** Parts of a JSON document with one object per line. */
export async function* jsonReport(
  { collection, made, quick, summary, advice }: Report,
  objects: AsyncIterable<ReportedObject>,
): AsyncGenerator<string> {
  const head = { doctor: reportVersion, collection, made, quick, summary, advice };
  yield `${JSON.stringify(head).slice(0, -1)},"objects":[`;
  let separator = "\n";
  for await (const { facts, findings } of objects) {
    const { thumbnail: _, ...shown } = facts;
    yield `${separator}${JSON.stringify({ ...shown, findings })}`;
    separator = ",\n";
  }
  yield "\n]}\n";
}
