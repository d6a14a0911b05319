import {
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLError,
} from "yaml";

/** A node of a YAML document. */
export type YamlNode = Node | null;

/** Readers of the values of a map, by key. */
export type Fields = Readonly<Record<string, (value: YamlNode) => void>>;

/** Maximum number of errors that are reported for a document. */
const maxFaults = 20;

/**
 * Reads a YAML 1.2 or JSON document value by value and collects its errors. All scalars are read as
 * texts; aliases and tags are errors.
 */
export class YamlReading {
  readonly root: YamlNode;
  readonly #lines = new LineCounter();
  readonly #faults: string[] = [];

  constructor(text: string) {
    this.root = this.#parse(text);
  }

  /** Messages with line numbers, at most 20. */
  get faults(): readonly string[] {
    return this.#faults;
  }

  fault(node: YamlNode, message: string): undefined {
    this.#report(node?.range?.[0] ?? 0, message);
  }

  /** Reads the values of a map; duplicate and unknown keys are errors. */
  map(node: YamlNode, what: string, fields: Fields): void {
    for (const [key, value, place] of this.entries(node, what)) {
      if (Object.hasOwn(fields, key)) fields[key]?.(value);
      else
        this.fault(
          place,
          `${what}: expected one of ${Object.keys(fields).join(", ")} as key, got '${key}'`,
        );
    }
  }

  /** The keys of a map with their values, and the places of the keys. */
  entries(node: YamlNode, what: string): readonly (readonly [string, YamlNode, YamlNode])[] {
    if (!isMap<Node, Node | null>(node)) {
      this.fault(node, `${what}: expected keys with values`);
      return [];
    }
    const names = new Set<string>();
    return node.items.flatMap(({ key, value }) => {
      const name = this.text(key, `${what}, a key`);
      if (name === undefined) return [];
      if (names.has(name)) {
        this.fault(key, `${what}: expected each key once, got '${name}' again`);
        return [];
      }
      names.add(name);
      return [[name, value, key] as const];
    });
  }

  /** The items of a list. */
  list(node: YamlNode, what: string): readonly YamlNode[] {
    if (isSeq<Node>(node)) return node.items;
    this.fault(node, `${what}: expected a list`);
    return [];
  }

  /** A scalar as text; undefined, with an error, if the node is not a scalar or is empty. */
  text(node: YamlNode, what: string): string | undefined {
    const text = isScalar<string>(node) && typeof node.value === "string" ? node.value.trim() : "";
    return text === "" ? this.fault(node, `${what}: expected a text`) : text;
  }

  isList(node: YamlNode): boolean {
    return isSeq(node);
  }

  isMap(node: YamlNode): boolean {
    return isMap(node);
  }

  #parse(text: string): YamlNode {
    if (Math.max(flowDepthOf(text), blockDepthOf(text)) > maxDepth) {
      this.#report(0, `expected at most ${maxDepth} lists and maps within one another`);
      return null;
    }
    try {
      const document = parseDocument(text, {
        // All scalars are strings: a date stays as it is written.
        schema: "failsafe",
        lineCounter: this.#lines,
        logLevel: "silent",
        prettyErrors: false,
        // Takes quadratic time; `entries` checks it.
        uniqueKeys: false,
      });
      const wrong: readonly YAMLError[] = [...document.errors, ...document.warnings];
      for (const { message, pos } of wrong) this.#report(pos[0], message);
      return wrong.length === 0 ? document.contents : null;
    } catch (error) {
      // Too deeply nested, for example.
      this.#report(0, error instanceof Error ? error.message : String(error));
      return null;
    }
  }

  #report(offset: number, message: string): void {
    if (this.#faults.length < maxFaults)
      this.#faults.push(`line ${Math.max(1, this.#lines.linePos(offset).line)}: ${message}`);
  }
}

/**
 * Maximum depth of nesting. The parser recurses, and its time grows with the square of the number of
 * open brackets; running out of stack while compiling a regular expression ends the whole process.
 */
const maxDepth = 100;

/** The most brackets that are open at a time. */
const flowDepthOf = (text: string): number => {
  let [depth, deepest] = [0, 0];
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = bracket === "[" || bracket === "{" ? depth + 1 : Math.max(0, depth - 1);
    deepest = Math.max(deepest, depth);
  }
  return deepest;
};

/** How deep lists and maps may be by indentation: a level takes a column, and usually two. */
const blockDepthOf = (text: string): number => {
  let columns = 0;
  for (const [start] of text.matchAll(/^ *(?:[-?:][ \t]+)*/gm))
    columns = Math.max(columns, start.length);
  return columns / 2;
};
