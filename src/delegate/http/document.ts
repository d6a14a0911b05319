import { type DelegateContext, type DelegateMethod, delegateMethods } from "../../core/delegate.ts";
import { contextOf } from "../context.ts";
import { similarMethod } from "../script/methods.ts";
import { isHash, shortText } from "../script/values.ts";

/** The part of the context that a method is sent: all of it, or what the delegate lists. */
export type ContextChoice = "all" | readonly ContextPath[];

/** A key of the context, or one cookie or header of it. */
interface ContextPath {
  readonly key: keyof DelegateContext;
  readonly name?: string;
}

/** A delegate's description: its methods, and what each is sent. */
export type Methods = ReadonlyMap<DelegateMethod, ContextChoice>;

/**
 * Parses a delegate's description, as in `{"methods": {"authorize": {"context": ["identifier",
 * "cookies.reader"]}}}`. Throws a text that says what is wrong: a misspelt method or key would
 * leave images unprotected.
 */
export const readDocument = (document: unknown): Methods => {
  if (!isHash(document) || !isHash(document["methods"]))
    throw new TypeError(`expected an object with methods (an object), got ${shortText(document)}`);
  const methods = new Map<DelegateMethod, ContextChoice>();
  for (const [name, given] of Object.entries(document["methods"])) {
    const method = delegateMethods.find((one) => one === name);
    if (method === undefined) throw new TypeError(unknown(name));
    if (!isHash(given))
      throw new TypeError(`methods.${name}: expected an object, got ${shortText(given)}`);
    methods.set(method, choiceOf(given["context"], `methods.${name}.context`));
  }
  if (methods.size === 0)
    throw new TypeError(
      `expected at least one of the methods ${delegateMethods.join(", ")}, but there is none`,
    );
  return methods;
};

const unknown = (name: string): string => {
  const meant = similarMethod(name);
  return `there is no method ${shortText(name)}.${meant === undefined ? "" : ` Is ${meant} meant?`}`;
};

const choiceOf = (given: unknown, at: string): ContextChoice => {
  if (given === undefined || given === null) return "all";
  if (!Array.isArray(given) || given.length > maxPaths)
    throw new TypeError(
      `${at}: expected a list of at most ${maxPaths} keys, got ${shortText(given)}`,
    );
  return given.map((path: unknown) => {
    const read = typeof path === "string" ? pathOf(path) : undefined;
    if (read === undefined)
      throw new TypeError(
        `${at}: expected keys of the context such as identifier, cookies.NAME or request_headers.NAME, got ${shortText(path)}`,
      );
    return read;
  });
};

const maxPaths = 100;

const pathOf = (path: string): ContextPath | undefined => {
  const dot = path.indexOf(".");
  const key = contextKeys.find((one) => one === (dot < 0 ? path : path.slice(0, dot)));
  if (key === undefined) return undefined;
  if (dot < 0) return { key };
  const name = path.slice(dot + 1);
  return name !== "" && (key === "cookies" || key === "request_headers")
    ? { key, name }
    : undefined;
};

const contextKeys = Object.keys(contextOf({})) as readonly (keyof DelegateContext)[];

/**
 * The part of the context that a method is sent. Headers have the delegate's spelling, whatever
 * case the client used.
 */
export const chosenContext = (
  context: DelegateContext,
  choice: ContextChoice,
): Readonly<Record<string, unknown>> => {
  if (choice === "all") return { ...context };
  const chosen: Record<string, unknown> = {};
  const parts = new Map<string, Record<string, unknown>>();
  for (const { key, name } of choice) {
    if (name === undefined) {
      chosen[key] = context[key];
      continue;
    }
    // Clients choose the names: __proto__ is a name like any other.
    const part = parts.get(key) ?? (Object.create(null) as Record<string, unknown>);
    parts.set(key, part);
    const value =
      key === "cookies" ? context.cookies[name] : headerOf(context.request_headers, name);
    if (value !== undefined) part[name] = value;
  }
  // A whole key overrides single names of it.
  return { ...Object.fromEntries(parts), ...chosen };
};

const headerOf = (headers: Readonly<Record<string, string>>, name: string): string | undefined => {
  const wanted = name.toLowerCase();
  let last: string | undefined;
  for (const [one, value] of Object.entries(headers))
    if (one.toLowerCase() === wanted) last = value;
  return last;
};
