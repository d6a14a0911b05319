import { type DelegateMethod, delegateMethods } from "../../core/delegate.ts";
import { fail } from "../../core/errors.ts";
import { methodNamed, similarMethod } from "./methods.ts";
import { shortText } from "./values.ts";

/** A delegate from a module. */
export interface Script {
  /** The names of its methods, by Cantaloupe's names. */
  readonly methods: ReadonlyMap<DelegateMethod, string>;
  /** Creates the object for one request. Throws what the delegate's constructor does. */
  create(): Readonly<Record<string, unknown>>;
  /** Oddities, in sentences. */
  readonly warnings: readonly string[];
  /** Whether its files mention metadata; absent: no. */
  readonly wantsMetadata?: boolean;
}

type Anything = Readonly<Record<string, unknown>>;
type Constructor = new () => Anything;

/**
 * The delegate among a module's exports: a class or an object, as `default` or `CustomDelegate`. A
 * class is instantiated once, so that methods in fields are found. Throws `malformed` with what is
 * wrong.
 */
export const scriptOf = (exported: Anything): Script => {
  const found = delegateAmong(exported);
  if (typeof found === "function") return ofClass(found as Constructor);
  if (typeof found === "object" && found !== null) return ofObject(found as Anything);
  return fail(
    "malformed",
    `expected a class or an object with the delegate's methods, exported as default or as CustomDelegate, got ${shortText(found)}`,
  );
};

const delegateAmong = (exported: Anything): unknown => {
  const byDefault = unwrapped(exported["default"]);
  const byName = exported["CustomDelegate"];
  if (byDefault === undefined) return byName === undefined ? nothingIn(exported) : byName;
  if (byName !== undefined && byName !== byDefault)
    fail(
      "malformed",
      "expected one delegate, but default and CustomDelegate are exported, and are not the same",
    );
  return byDefault;
};

/** The form that compilers give ES modules in CommonJS. */
const unwrapped = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null) return value;
  const { __esModule, default: inner, CustomDelegate } = value as Anything;
  if (__esModule === true && inner !== undefined) return inner;
  return CustomDelegate ?? value;
};

const nothingIn = (exported: Anything): never => {
  const methods = Object.keys(exported).filter((name) => methodNamed(name) !== undefined);
  return fail(
    "malformed",
    `expected a class or an object with the delegate's methods, exported as default or as CustomDelegate, but neither is exported${
      methods.length === 0
        ? ""
        : `; ${methods.join(", ")} should be methods of it, not exports of their own`
    }`,
  );
};

const ofClass = (type: Constructor): Script => {
  // Arrow functions have none.
  if (typeof type.prototype !== "object")
    fail("malformed", "expected a class or an object with the delegate's methods, got a function");
  for (const name of Object.getOwnPropertyNames(type))
    if (methodNamed(name) !== undefined && typeof Reflect.get(type, name) === "function")
      fail("malformed", `${name}: expected a method of the delegate, but it is static`);
  const create = (): Anything => new type();
  const sample = tried(create);
  return { ...methodsOf(sample), create: withContext(create, sample) };
};

const tried = (create: () => Anything): Anything => {
  try {
    return create();
  } catch (cause) {
    return fail(
      "malformed",
      `its constructor threw ${cause instanceof Error ? cause.message : shortText(cause)}`,
      cause,
    );
  }
};

/** Concurrent requests must not see one another's context. */
const ofObject = (delegate: Anything): Script => {
  const create = (): Anything => Object.create(delegate);
  return { ...methodsOf(delegate), create: withContext(create, create()) };
};

/** Gives instances a property `context` of their own, whatever their class or prototype defines. */
const withContext = (create: () => Anything, sample: Anything): (() => Anything) => {
  const own = Object.getOwnPropertyDescriptor(sample, "context");
  const isPlain = own
    ? own.writable === true
    : !("context" in sample) && Object.isExtensible(sample);
  // Defining a property costs much more than setting one.
  if (isPlain) return () => Object.assign(create(), noContext);
  const property = { value: null, writable: true, configurable: true };
  return () => Object.defineProperty(create(), "context", property);
};

const noContext = { context: null };

const methodsOf = (delegate: Anything): Pick<Script, "methods" | "warnings"> => {
  const methods = new Map<DelegateMethod, string>();
  const warnings: string[] = [];
  for (const name of namesOf(delegate)) {
    const method = methodNamed(name);
    if (method === undefined) {
      const meant = isFunction(delegate, name) ? similarMethod(name) : undefined;
      if (meant !== undefined)
        warnings.push(`The delegate's method ${name} is never called. Is ${meant} meant?`);
      continue;
    }
    const other = methods.get(method);
    if (other !== undefined)
      fail("malformed", `${method}: expected one method, but there are ${other} and ${name}`);
    if (!isFunction(delegate, name))
      fail("malformed", `${name}: expected a method, got ${shortText(delegate[name])}`);
    methods.set(method, name);
  }
  if (methods.size === 0)
    fail(
      "malformed",
      `expected at least one of the methods ${delegateMethods.join(", ")}, but there is none`,
    );
  return { methods, warnings };
};

const isFunction = (delegate: Anything, name: string): boolean =>
  typeof delegate[name] === "function";

/** Names of properties, including those of base classes. */
const namesOf = (delegate: Anything): ReadonlySet<string> => {
  const names = new Set<string>();
  let from: unknown = delegate;
  while (typeof from === "object" && from !== null && Object.getPrototypeOf(from) !== null) {
    for (const name of Object.getOwnPropertyNames(from)) names.add(name);
    from = Object.getPrototypeOf(from);
  }
  names.delete("constructor");
  return names;
};
