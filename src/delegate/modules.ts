import { readFile } from "node:fs/promises";
import * as nodeModule from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import { SerialQueue } from "../config/serial-queue.ts";
import { createHooks, delegateUrl, type Hooks, type Strip } from "./hooks.ts";

/** A loaded module. */
export interface ReadModule {
  /** Its exports by name, including `default`. */
  readonly exported: Readonly<Record<string, unknown>>;
  /** Absolute paths of its file and of those it imported, except packages. */
  readonly files: readonly string[];
}

/** A module that could not be loaded. */
export class UnloadableModule extends Error {
  override readonly name = "UnloadableModule";
  /** As far as known. */
  readonly files: readonly string[];
  constructor(message: string, files: readonly string[], cause: unknown) {
    super(message, { cause });
    this.files = files;
  }
}

/**
 * Loads a module in TypeScript or JavaScript again with all it imports by relative paths,
 * regardless of earlier loads. Each load stays in memory for good: Node cannot unload modules.
 * Throws `UnloadableModule`.
 */
export const readModule = async (path: string): Promise<ReadModule> => {
  const loader = await theLoader();
  let read: ReadModule | undefined;
  // The recorded files belong to one load at a time.
  await loader.turns.take(async () => {
    read = await readWith(loader, path);
  });
  return read as ReadModule;
};

const readWith = async (loader: Loader, path: string): Promise<ReadModule> => {
  loader.drain();
  forgetRequired(path);
  const url = delegateUrl(pathToFileURL(path).href, loader.next());
  try {
    const exported = await inTime(loader.load(url));
    return { exported, files: filesOf(path, loader.drain()) };
  } catch (error) {
    const files = filesOf(path, loader.drain());
    throw new UnloadableModule(await messageOf(error, files, loader.strip), files, error);
  }
};

/** Time limit of loading a module in milliseconds: a top-level await may never settle. */
const maxMs = 30_000;

const inTime = async <T>(loading: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`it did not load within ${maxMs / 1000} s`);
    timer = setTimeout(() => reject(error), maxMs);
  });
  return Promise.race([loading, late]).finally(() => clearTimeout(timer));
};

interface Loader {
  /** Imports as Node does, whatever runs this code. */
  load(url: string): Promise<Readonly<Record<string, unknown>>>;
  /** The files recorded since the last call. */
  drain(): readonly string[];
  /** A number that no load had yet. */
  next(): number;
  readonly strip: Strip;
  readonly turns: SerialQueue;
}

let loader: Promise<Loader> | undefined;

/**
 * Hooks of Node's loader cannot be removed everywhere, so there is one set of them, created for the
 * first delegate.
 */
const theLoader = (): Promise<Loader> => {
  loader ??= createLoader();
  return loader;
};

const createLoader = async (): Promise<Loader> => {
  const { transform } = await import("sucrase");
  const strip: Strip = (text) =>
    transform(text, { transforms: ["typescript"], disableESTransforms: true }).code;
  const drain = await installHooks(strip);
  // Tests run in a loader of their own without hooks; a module that Node loaded imports as Node
  // does.
  const native: { readonly default: Loader["load"] } = await import(nativeImport);
  let readings = 0;
  return { load: native.default, drain, next: () => ++readings, strip, turns: new SerialQueue() };
};

const nativeImport = "data:text/javascript,export default (url) => import(url)";

/** Node's API since 22.15, in this thread; it is not in the types for Node 20. */
const { registerHooks } = nodeModule as { registerHooks?: (hooks: Hooks) => unknown };

/** Returns a function that returns the files recorded since the last call. */
const installHooks = async (strip: Strip): Promise<Loader["drain"]> => {
  const helpers = asUrl(await textBeside("metadata-keys", strip));
  if (registerHooks !== undefined) {
    const noted = new Set<string>();
    registerHooks(createHooks(strip, (file) => noted.add(file), helpers));
    return () => {
      const files = [...noted];
      noted.clear();
      return files;
    };
  }
  const { port1, port2 } = new MessageChannel();
  port1.unref();
  const sucrase = pathToFileURL(own.resolve("sucrase")).href;
  nodeModule.register(await hooksUrl(strip), {
    data: { sucrase, helpers, port: port2 },
    transferList: [port2],
  });
  return () => {
    const files: string[] = [];
    for (let got = receiveMessageOnPort(port1); got; got = receiveMessageOnPort(port1))
      files.push(String(got.message));
    return files;
  };
};

/** The loader's thread reads JavaScript only: run from source, it is given the text. */
const hooksUrl = async (strip: Strip): Promise<string> => {
  if (!isSource) return new URL("./hooks.js", import.meta.url).href;
  return asUrl(await textBeside("hooks", strip));
};

const isSource = import.meta.url.endsWith(".ts");

/** A module beside this one as JavaScript. */
const textBeside = async (name: string, strip: Strip): Promise<string> => {
  const file = new URL(`./${name}.${isSource ? "ts" : "js"}`, import.meta.url);
  const text = await readFile(fileURLToPath(file), "utf8");
  return isSource ? strip(text) : text;
};

const asUrl = (script: string): string => `data:text/javascript,${encodeURIComponent(script)}`;

const own = nodeModule.createRequire(import.meta.url);

/** CommonJS is cached by file name. */
const forgetRequired = (path: string): void => {
  for (const file of requiredBy(path)) delete own.cache[file];
};

/** A required CommonJS file, and those that it required. */
const requiredBy = (path: string): ReadonlySet<string> => {
  const found = new Set<string>();
  const visit = (file: string): void => {
    const module = own.cache[file];
    if (module === undefined || found.has(file) || /[\\/]node_modules[\\/]/.test(file)) return;
    found.add(file);
    for (const { filename } of module.children) visit(filename);
  };
  visit(path);
  return found;
};

const filesOf = (path: string, noted: readonly string[]): readonly string[] => [
  ...new Set([path, ...noted, ...requiredBy(path)]),
];

/** What went wrong, with file and line where they can be found out. */
const messageOf = async (
  error: unknown,
  files: readonly string[],
  strip: Strip,
): Promise<string> => {
  if (!(error instanceof Error)) return `it threw ${String(error)}`;
  const message = error.message.replace(/\?vitrine-[a-z]+=\d+/g, "");
  if (/^\S+:\d+:\d+: /.test(message)) return message;
  const place =
    error instanceof SyntaxError || error.name === "SyntaxError"
      ? await misspelt(files, strip)
      : thrownAt(error);
  return place === undefined ? message : `${place}: ${message}`;
};

/** Where an error was thrown, by the first line of its stack that is in a delegate's file. */
const thrownAt = ({ stack = "" }: Error): string | undefined => {
  const [, url, line] = /(file:[^\s()?]+)\?vitrine-[a-z]+=\d+:(\d+)/.exec(stack) ?? [];
  return url === undefined ? undefined : `${fileURLToPath(url)}:${line}`;
};

/**
 * Node reports no line where hooks loaded a module: the first file that cannot be compiled as
 * TypeScript reports its own.
 */
const misspelt = async (files: readonly string[], strip: Strip): Promise<string | undefined> => {
  for (const file of files) {
    const text = await readFile(file, "utf8").catch(() => "");
    try {
      strip(text);
    } catch (error) {
      if (error instanceof Error && "loc" in error)
        return `${file}:${(error.loc as { readonly line: number }).line}`;
    }
  }
  return undefined;
};
