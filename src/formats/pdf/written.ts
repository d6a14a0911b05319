/**
 * An entry of a dictionary: a reference to an object by number, or the raw text of anything else.
 */
type DictionaryEntry = { readonly object: number } | { readonly text: string };

/** Maximum bytes of a dictionary that is parsed. */
const maxText = 1_048_576;

/** Bytes of a line in a table of objects (ISO 32000-2, 7.5.4). */
const lineBytes = 20;

/**
 * The bytes of the stream that a document's catalog references under a name; undefined where there
 * is none. Of a document as PDFium writes it (`savedDocument`): with one plain-text cross-reference
 * table, and whole, unencrypted objects.
 */
export const streamOfCatalog = (document: Buffer, name: string): Buffer | undefined => {
  const end = document.subarray(-64).toString("latin1");
  const table = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(end)?.[1] ?? Number.NaN);
  if (!(table < document.length)) return undefined;
  const written = { document, ...linesOf(document, table) };
  const root = dictionaryAt(document, written.trailer)?.entries.get("Root");
  const catalog = root && dictionaryOf(written, root);
  const entry = catalog?.entries.get(name);
  const found = entry && dictionaryOf(written, entry);
  return found && streamAt(written, found);
};

/** Runs of table lines, by the number of the first. */
interface ObjectRun {
  readonly first: number;
  readonly count: number;
  readonly at: number;
}

interface ScannedDocument {
  readonly document: Buffer;
  readonly runs: readonly ObjectRun[];
  /** Where to search for the trailer's dictionary. */
  readonly trailer: number;
}

const linesOf = (document: Buffer, table: number): Omit<ScannedDocument, "document"> => {
  const runs: ObjectRun[] = [];
  let at =
    table + (/^xref\s+/.exec(document.toString("latin1", table, table + 8))?.[0].length ?? 0);
  for (;;) {
    const head = document.toString("latin1", at, at + 32);
    const [all = "", first, count] = /^(\d+) (\d+)\r?\n/.exec(head) ?? [];
    if (all === "") return { runs, trailer: at + "trailer".length };
    at += all.length;
    runs.push({ first: Number(first), count: Number(count), at });
    at += Number(count) * lineBytes;
  }
};

/** The start of an object's contents; undefined where there is no such object. */
const objectAt = ({ document, runs }: ScannedDocument, number: number): number | undefined => {
  const run = runs.find(({ first, count }) => number >= first && number < first + count);
  if (run === undefined) return undefined;
  const line = run.at + (number - run.first) * lineBytes;
  const offset = Number(document.toString("latin1", line, line + 10));
  const head = document.toString("latin1", offset, offset + 32);
  const [all = "", own] = /^\s*(\d+) \d+ obj\s*/.exec(head) ?? [];
  return Number(own) === number ? offset + all.length : undefined;
};

interface Dictionary {
  readonly entries: ReadonlyMap<string, DictionaryEntry>;
  /** Position after it. */
  readonly end: number;
}

const dictionaryOf = (written: ScannedDocument, entry: DictionaryEntry): Dictionary | undefined => {
  const at = "object" in entry ? objectAt(written, entry.object) : undefined;
  return at === undefined ? undefined : dictionaryAt(written.document, at);
};

const streamAt = (written: ScannedDocument, { entries, end }: Dictionary): Buffer | undefined => {
  const { document } = written;
  const head = document.toString("latin1", end, end + 16);
  const [all] = /^\s*stream\r?\n/.exec(head) ?? [];
  const length = numberOf(written, entries.get("Length"));
  if (all === undefined || length === undefined) return undefined;
  const from = end + all.length;
  return from + length > document.length ? undefined : document.subarray(from, from + length);
};

const numberOf = (
  written: ScannedDocument,
  entry: DictionaryEntry | undefined,
): number | undefined => {
  if (entry === undefined) return undefined;
  if ("text" in entry) return wholeNumber(entry.text);
  const at = objectAt(written, entry.object);
  return at === undefined
    ? undefined
    : wholeNumber(written.document.toString("latin1", at, at + 16));
};

const wholeNumber = (text: string): number | undefined => {
  const [, digits] = /^\s*(\d{1,10})(?!\S)/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
};

/** The entries of a dictionary; undefined where there is none, or it is too long. */
const dictionaryAt = (document: Buffer, at: number): Dictionary | undefined => {
  const text = document.toString("latin1", at, at + maxText);
  const items: string[] = [];
  let depth = 0;
  let nested = 0;
  for (let token = tokenAt(text, 0); token !== undefined; token = tokenAt(text, token.end)) {
    const { start, end } = token;
    const step = nesting(text, start);
    depth += step;
    if (depth === 0) return step < 0 ? { entries: entriesOf(items), end: at + end } : undefined;
    if (depth === 2 && step > 0) nested = start;
    // A nested value is one item, from its beginning on.
    else if (depth === 1 && step < 1) items.push(text.slice(step < 0 ? nested : start, end));
  }
  return undefined;
};

/** The change of nesting depth at a bracket of a dictionary or a list. */
const nesting = (text: string, at: number): number => {
  if (text.startsWith("<<", at) || text[at] === "[") return 1;
  return text.startsWith(">>", at) || text[at] === "]" ? -1 : 0;
};

/** Alternating keys and values; a reference has three words. */
const entriesOf = (items: readonly string[]): ReadonlyMap<string, DictionaryEntry> => {
  const entries = new Map<string, DictionaryEntry>();
  for (let at = 0; at + 1 < items.length; ) {
    const [key = "", value = "", , last] = items.slice(at, at + 4);
    const object = last === "R" ? wholeNumber(value) : undefined;
    entries.set(key.slice(1), object === undefined ? { text: value } : { object });
    at += object === undefined ? 2 : 4;
  }
  return entries;
};

interface Token {
  readonly start: number;
  /** Position after it. */
  readonly end: number;
}

const spaces = /[\0\t\n\f\r ]*/y;
const word = /\/?[^\0\t\n\f\r ()<>[\]{}/%]*/y;

/** The next word, bracket or text; undefined at the end. */
const tokenAt = (text: string, from: number): Token | undefined => {
  const start = from + lengthAt(spaces, text, from);
  const two = text.slice(start, start + 2);
  if (two === "") return undefined;
  if (two === "<<" || two === ">>") return { start, end: start + 2 };
  if (two.startsWith("(")) return { start, end: textEnd(text, start) };
  if (two.startsWith("<")) {
    const end = text.indexOf(">", start);
    return { start, end: end < 0 ? text.length : end + 1 };
  }
  return { start, end: start + Math.max(1, lengthAt(word, text, start)) };
};

const lengthAt = (form: RegExp, text: string, at: number): number => {
  form.lastIndex = at;
  return form.exec(text)?.[0].length ?? 0;
};

/** The position after a text in parentheses, which may be nested. */
const textEnd = (text: string, start: number): number => {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (character === "(") depth++;
    else if (character === ")") depth--;
    if (depth === 0) return at + 1;
  }
  return text.length;
};
