// Also loaded in the thread of Node's module loader: only Node's own modules may be imported here.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { MessagePort } from "node:worker_threads";

/**
 * Compiles TypeScript to JavaScript, line by line. Throws an error with `loc` where the text is
 * invalid.
 */
export type Strip = (text: string) => string;

interface Resolved {
  readonly url: string;
  readonly format?: string | null;
}
interface Loaded {
  readonly format: string | null | undefined;
  readonly source?: string | ArrayBuffer | Uint8Array | null;
  readonly shortCircuit?: boolean;
}
type OrPromise<T> = T | Promise<T>;

/** Hooks of Node's module loader, synchronous where the next ones are. */
export interface Hooks {
  resolve(
    specifier: string,
    context: { readonly parentURL?: string | undefined },
    next: (specifier: string, context: object) => OrPromise<Resolved>,
  ): OrPromise<Resolved>;
  load(
    url: string,
    context: object,
    next: (url: string, context: object) => OrPromise<Loaded>,
  ): OrPromise<Loaded>;
}

/** Marks the URL of a delegate's own file, so that each load creates new modules. */
export const delegateUrl = (url: string, reading: number): string => `${url}?${entry}=${reading}`;

const entry = "vitrine-delegate";
const part = "vitrine-part";
const marks = /[?&](vitrine-(?:delegate|part))=(\d+)/;

/**
 * The hooks for delegates and the modules they import by relative paths: these are read again with
 * each load of the delegate, including TypeScript. `note` is called with each file, also missing
 * ones; `helpers` is the URL of what they import from "vitrine". All other modules are unaffected.
 */
export const createHooks = (
  strip: Strip,
  note: (file: string) => void,
  helpers: string,
): Hooks => ({
  resolve(specifier, context, next) {
    const reading = marks.exec(context.parentURL ?? "")?.[2];
    // Only types and helpers are meant: the server itself is running already.
    if (reading !== undefined && specifier === "vitrine") return next(helpers, context);
    if (reading === undefined || context.parentURL === undefined || !isRelative(specifier))
      return next(specifier, context);
    const wanted = asWritten(specifier, context.parentURL, note);
    return then(next(wanted, context), (found) => ({ ...found, url: marked(found.url, reading) }));
  },
  load(url, context, next) {
    const kind = marks.exec(url)?.[1];
    if (kind === undefined) return next(url, context);
    const file = fileURLToPath(url);
    note(file);
    if (/\.m?ts$/i.test(file))
      return { format: "module", source: stripped(file, strip), shortCircuit: true };
    return then(next(url, context), (loaded) =>
      loaded.format === "commonjs" ? wrapped(url, file, kind) : loaded,
    );
  },
});

const then = <T, U>(value: OrPromise<T>, use: (value: T) => U): OrPromise<U> =>
  value instanceof Promise ? value.then(use) : use(value);

const isRelative = (specifier: string): boolean => /^\.{1,2}\//.test(specifier);

/** Packages, and files in them, are loaded once, as usual. */
const marked = (url: string, reading: string): string =>
  !url.startsWith("file:") || url.includes("/node_modules/") || marks.test(url)
    ? url
    : `${url}${url.includes("?") ? "&" : "?"}${part}=${reading}`;

/**
 * TypeScript may be imported without its extension, or with that of the JavaScript it would become.
 */
const asWritten = (specifier: string, parent: string, note: (file: string) => void): string => {
  const file = fileURLToPath(new URL(specifier, parent));
  note(file);
  if (existsSync(file) && /\.[^/\\.]+$/.test(file)) return specifier;
  const [path = "", query] = specifier.split("?", 2);
  const tail = query === undefined ? "" : `?${query}`;
  const candidates = [path.replace(/\.(m?)js$/, ".$1ts"), `${path}.ts`, `${path}.js`];
  const found = candidates.find((name) => existsSync(fileURLToPath(new URL(name, parent))));
  return found === undefined ? specifier : `${found}${tail}`;
};

const stripped = (file: string, strip: Strip): string => {
  const text = readFileSync(file, "utf8");
  try {
    return strip(text);
  } catch (error) {
    if (!(error instanceof Error) || !("loc" in error)) throw error;
    const { line, column } = error.loc as { readonly line: number; readonly column: number };
    throw new SyntaxError(
      `${file}:${line}:${column}: ${error.message.replace(/\s*\(\d+:\d+\)$/, "")}`,
    );
  }
};

/**
 * Node caches CommonJS by file name, whatever the URL says. A delegate in CommonJS is required
 * directly, after its cached modules were removed; CommonJS that a module imports is loaded once.
 */
const wrapped = (url: string, file: string, kind: string): Loaded => {
  const plain = JSON.stringify(url.replace(marks, ""));
  const source =
    kind === entry
      ? `import { createRequire } from "node:module";
const exported = createRequire(${plain})(${JSON.stringify(file)});
export default exported;
export const CustomDelegate = exported?.CustomDelegate;`
      : `export * from ${plain};\nexport { default } from ${plain};`;
  return { format: "module", source, shortCircuit: true };
};

let hooks: Hooks | undefined;

/** Node's first call in the thread of its loader. */
export const initialize = async (given: {
  /** URL of the module that strips types. */
  readonly sucrase: string;
  /** URL of what delegates import from "vitrine". */
  readonly helpers: string;
  /** Receives the files. */
  readonly port: MessagePort;
}): Promise<void> => {
  const { transform } = (await import(given.sucrase)) as typeof import("sucrase");
  hooks = createHooks(
    (text) => transform(text, { transforms: ["typescript"], disableESTransforms: true }).code,
    (file) => given.port.postMessage(file),
    given.helpers,
  );
};

export const resolve: Hooks["resolve"] = (specifier, context, next) =>
  hooks ? hooks.resolve(specifier, context, next) : next(specifier, context);

export const load: Hooks["load"] = (url, context, next) =>
  hooks ? hooks.load(url, context, next) : next(url, context);
