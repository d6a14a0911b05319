import { stat } from "node:fs/promises";
import type {
  AnswerCheck,
  DelegateContext,
  DelegateMethod,
  DelegateSession,
} from "../core/delegate.ts";
import { ServerError } from "../core/errors.ts";
import { useReader } from "../core/range-reader.ts";
import { checkOf } from "../delegate/checks.ts";
import type { HttpDelegate } from "../delegate/http/delegate.ts";
import type { ContextChoice } from "../delegate/http/document.ts";
import { ScriptSession } from "../delegate/session.ts";
import { readMetadataHash } from "../formats/embedded-metadata.ts";
import { sniff } from "../formats/sniff.ts";
import { singleFile } from "../sources/file-reader.ts";
import { type ExitCode, type Terminal, UsageError, writeError, writeWarning } from "./command.ts";
import { type DelegateChoice, withDelegate } from "./delegate-opening.ts";

/** A delegate call from the command line. */
export interface DelegateCall extends DelegateChoice {
  readonly method: DelegateMethod;
  readonly identifier: string;
  readonly clientIp: string;
  /** A file whose metadata is in the context. */
  readonly image?: string | undefined;
  readonly header?: Readonly<Record<string, string>> | undefined;
  readonly cookie?: Readonly<Record<string, string>> | undefined;
}

/** Loads a delegate, or asks one over HTTP, and lists its methods; 2 where that fails. */
export const checkScript = (which: DelegateChoice, terminal: Terminal): Promise<ExitCode> =>
  withDelegate(which, terminal, {
    async script({ script, files }) {
      for (const warning of script.warnings) writeWarning(terminal, warning);
      const methods = [...script.methods].map(([method, name]) =>
        name === method ? method : `${method} (as ${name})`,
      );
      terminal.out(`methods  ${lines(methods)}\nfiles    ${lines(files)}\n`);
      return 0;
    },
    service: (delegate, url) =>
      unlessUnreachable(delegate, terminal, async () => {
        const methods = [...(delegate.service.methods ?? [])].map(
          ([method, choice]) => `${method} (${sentText(choice)})`,
        );
        terminal.out(`methods  ${lines(methods)}\naddress  ${url.href}\n`);
        return 0;
      }),
  });

const lines = (items: readonly string[]): string => items.join("\n         ");

const sentText = (choice: ContextChoice): string => {
  if (choice === "all") return "is sent all of the context";
  const keys = choice.map(({ key, name }) => (name === undefined ? key : `${key}.${name}`));
  return `is sent ${keys.length === 0 ? "nothing of the context" : keys.join(", ")}`;
};

/**
 * Calls a method and prints its result; 1 where that is invalid, 2 where the delegate cannot be
 * loaded or reached.
 */
export const callScript = (asked: DelegateCall, terminal: Terminal): Promise<ExitCode> =>
  withDelegate(asked, terminal, {
    async script({ script }, seconds) {
      for (const warning of script.warnings) writeWarning(terminal, warning);
      const { signal } = terminal;
      const facts = await factsOf(asked, signal);
      return called(
        asked,
        new ScriptSession({ script, facts, request: { id, signal }, seconds }),
        terminal,
      );
    },
    service: (service) =>
      unlessUnreachable(service, terminal, async () => {
        const { signal } = terminal;
        const facts = await factsOf(asked, signal);
        return called(asked, service.delegate.session(facts, { id, signal }), terminal);
      }),
  });

/** Takes the place of a request in the log. */
const id = "vitrine delegate call";

const unlessUnreachable = async (
  { reach }: Pick<HttpDelegate, "reach">,
  terminal: Terminal,
  use: () => Promise<ExitCode>,
): Promise<ExitCode> => {
  try {
    await reach(terminal.signal);
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    writeError(terminal, error.message);
    return 2;
  }
  return use();
};

const called = async (
  { method, identifier }: DelegateCall,
  session: DelegateSession,
  terminal: Terminal,
): Promise<ExitCode> => {
  const noted = noting(checkOf(method));
  try {
    const { understood } = await session.call(method, noted.check, argumentOf(method, identifier));
    terminal.out(noted.text());
    terminal.out(`understood  ${jsonOf(understood)}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    terminal.out(noted.text());
    writeError(terminal, error.message);
    terminal.err(stackOf(error.cause));
    return 1;
  }
};

/** A validator that keeps the result, valid or not. */
const noting = (check: AnswerCheck<unknown>) => {
  let text = "";
  const noted: AnswerCheck<{ readonly understood: unknown }> = {
    expected: check.expected,
    read(answer) {
      text = `answer      ${jsonOf(answer)}\n`;
      const understood = check.read(answer);
      return understood === undefined ? undefined : { understood };
    },
  };
  return { check: noted, text: () => text };
};

const stackOf = (cause: unknown): string =>
  cause instanceof Error ? `${(cause.stack ?? "").replace(/\?vitrine-[a-z]+=\d+/g, "")}\n` : "";

/** The context of an information request before the image is opened. */
const factsOf = async (
  { identifier, clientIp, image, header = {}, cookie = {} }: DelegateCall,
  signal: AbortSignal,
): Promise<Partial<DelegateContext>> => {
  const uri = `http://localhost/iiif/3/${encodeURIComponent(identifier)}/info.json`;
  return {
    client_ip: clientIp,
    cookies: cookie,
    identifier,
    local_uri: uri,
    request_uri: uri,
    request_headers: header,
    ...(await embeddedIn(image, signal)),
  };
};

/** The metadata of a file; empty where none is named. */
const embeddedIn = async (
  file: string | undefined,
  signal: AbortSignal,
): Promise<Partial<DelegateContext>> => {
  if (file === undefined) return {};
  const found = await stat(file).catch(() => undefined);
  if (!found?.isFile()) throw new UsageError(`delegate: there is no file '${file}'`);
  return useReader(await singleFile(file), async (reader) => {
    const format = await sniff(reader, signal);
    if (format === undefined)
      throw new UsageError(`delegate: '${file}' is in no format that this server reads`);
    return { metadata: await readMetadataHash(reader, { format }, signal) };
  });
};

/**
 * The argument of the methods for meta-identifiers; undefined for other methods, which get options.
 */
const argumentOf = (method: DelegateMethod, identifier: string): unknown => {
  if (method === "deserialize_meta_identifier") return identifier;
  if (method === "serialize_meta_identifier")
    return { identifier, page_number: null, scale_constraint: null };
  return undefined;
};

const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? "undefined";
  } catch (error) {
    return `(no JSON: ${error instanceof Error ? error.message : String(error)})`;
  }
};
