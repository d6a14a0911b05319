import { type DelegateContext, type DelegateMethod, delegateMethods } from "../../core/delegate.ts";
import { fail } from "../../core/errors.ts";
import type { Logger } from "../../core/log.ts";
import { methodNamed, similarMethod } from "../script/methods.ts";
import type { Script } from "../script/script.ts";
import { CallSignal } from "../script/signal.ts";
import { hostPath } from "./guest-path.ts";
import type { LoadedRuby } from "./messages.ts";
import { rubyModule } from "./packages.ts";
import { RubyThread } from "./thread.ts";
import type { AskWeb } from "./web.ts";

/** The options of a Ruby delegate. */
export interface RubySettings {
  /** Time limit of a call in seconds. */
  readonly seconds: () => number;
  /** Absolute paths of readable folders. */
  readonly folders: readonly string[];
  /** Maximum bytes of Ruby's memory in each thread. */
  readonly memory: number;
  /** Number of threads that run it, from 1; 1. */
  readonly threads?: number;
  /** Receives the script's output. */
  readonly log: Logger;
  /** Sends the script's HTTP requests; absent: it cannot send any. */
  readonly web?: AskWeb;
}

/** A loaded Ruby delegate, with the absolute paths of its files. */
export interface RubyScript {
  readonly script: Script;
  readonly files: readonly string[];
  /** Ends its thread. */
  close(): void;
}

/**
 * Loads a delegate as in Cantaloupe: a class CustomDelegate with an instance for each request.
 * Throws `malformed` where the packages that run Ruby are not installed, or there is no such class;
 * throws Ruby's exceptions.
 */
export const loadRuby = async (path: string, settings: RubySettings): Promise<RubyScript> => {
  const { folders, memory, threads: count = 1, ...parts } = settings;
  const module = await rubyModule(memory);
  const threads = Array.from(
    { length: count },
    () => new RubyThread({ start: { module, path, folders }, ...parts }),
  );
  const close = (): void => {
    for (const thread of threads) thread.close();
  };
  try {
    const [loaded = noThread()] = await Promise.all(threads.map((thread) => thread.start()));
    return {
      script: scriptOf(loaded, threads),
      files: [...new Set([path, ...loaded.files.map(hostPath)])],
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
};

const noThread = (): never => fail("internal", "Expected at least one thread that runs Ruby.");

const scriptOf = ({ kind, methods: names }: LoadedRuby, threads: readonly RubyThread[]): Script => {
  if (kind !== "Class")
    fail(
      "malformed",
      `expected a class CustomDelegate, ${kind === "NilClass" ? "but there is none" : `got an object of class ${kind}`}`,
    );
  const methods = new Map(
    delegateMethods.filter((name) => names.includes(name)).map((name) => [name, name as string]),
  );
  if (methods.size === 0)
    fail(
      "malformed",
      `expected CustomDelegate to have at least one of the methods ${delegateMethods.join(", ")}, but there is none`,
    );
  const objects = threads.map((thread) => ({ thread, of: new RubyObjects(thread) }));
  let turn = 0;
  // Round robin among those equally busy.
  const leastBusy = (): RubyObjects => {
    turn = (turn + 1) % objects.length;
    const inTurn = [...objects.slice(turn), ...objects.slice(0, turn)];
    return inTurn.reduce((one, other) => (other.thread.calls < one.thread.calls ? other : one)).of;
  };
  return {
    methods,
    warnings: warningsOf(names),
    create: () => leastBusy().create(methods.keys()),
  };
};

/** Ruby has one spelling of each method. */
const warningsOf = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => {
    const meant = methodNamed(name) ?? similarMethod(name);
    return meant === undefined || meant === name
      ? []
      : [`The delegate's method ${name} is never called. Is ${meant} meant?`];
  });

/** The objects of requests in Ruby. They are released there once nothing here refers to them. */
class RubyObjects {
  readonly #thread: RubyThread;
  readonly #dropped: number[] = [];
  readonly #registry = new FinalizationRegistry<number>((id) => {
    this.#dropped.push(id);
  });
  #last = 0;

  constructor(thread: RubyThread) {
    this.#thread = thread;
  }

  create(methods: Iterable<DelegateMethod>): Readonly<Record<string, unknown>> {
    const id = ++this.#last;
    let told: DelegateContext | undefined;
    const call =
      (method: DelegateMethod) =>
      (argument: unknown, context: DelegateContext): Promise<unknown> => {
        const request = JSON.stringify(
          {
            object: id,
            method,
            new: told === undefined,
            context: context === told ? undefined : context,
            // Ruby methods cannot use a signal: their options are an empty hash.
            argument: argument instanceof CallSignal ? undefined : argument,
            drop: this.#dropped.splice(0),
          },
          plain,
        );
        told = context;
        return this.#thread.call(request);
      };
    const object = Object.fromEntries([...methods].map((method) => [method, call(method)]));
    this.#registry.register(object, id);
    return object;
  }
}

/** Bytes in metadata are numbers in Ruby. */
const plain = (_key: string, value: unknown): unknown =>
  value instanceof Uint8Array ? [...value] : value;
