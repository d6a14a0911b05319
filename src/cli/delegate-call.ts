import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { environment } from "../config/environment.ts";
import { findConfig } from "../config/lookup.ts";
import { Config } from "../config/store.ts";
import type { AnswerCheck, DelegateContext, DelegateMethod } from "../core/delegate.ts";
import { ServerError } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { useReader } from "../core/range-reader.ts";
import { checkOf } from "../delegate/checks.ts";
import { delegateKeys } from "../delegate/keys.ts";
import { type LoadedScript, loadScript, rubySettings } from "../delegate/loading.ts";
import { checkLanguage, locateScript } from "../delegate/locate.ts";
import { ScriptSession } from "../delegate/session.ts";
import { readMetadataHash } from "../formats/metadata/hashes.ts";
import { sniff } from "../formats/sniff.ts";
import { singleFile } from "../sources/file-reader.ts";
import { type ExitCode, type Terminal, tellError, tellWarning, UsageError } from "./command.ts";
import { byConfiguration } from "./configuration.ts";

/** Which delegate is meant: a file, or that of a configuration. */
interface Which {
  readonly file: string | undefined;
  readonly config?: string | undefined;
}

/** A call as the command line asks for it. */
export interface Asked extends Which {
  readonly method: DelegateMethod;
  readonly identifier: string;
  readonly clientIp: string;
  /** A file whose metadata is in the context. */
  readonly image?: string | undefined;
  readonly header?: Readonly<Record<string, string>> | undefined;
  readonly cookie?: Readonly<Record<string, string>> | undefined;
}

/** Loads a delegate and lists its methods; 2 where it cannot be loaded. */
export const checkScript = (which: Which, terminal: Terminal): Promise<ExitCode> =>
  withScript(which, terminal, async ({ script, files }) => {
    for (const warning of script.warnings) tellWarning(terminal, warning);
    const methods = [...script.methods].map(([method, name]) =>
      name === method ? method : `${method} (as ${name})`,
    );
    terminal.out(
      `methods  ${methods.join("\n         ")}\nfiles    ${files.join("\n         ")}\n`,
    );
    return 0;
  });

/** Calls a method and prints what it answered; 1 where that is not accepted, 2 where the delegate cannot be loaded. */
export const callScript = (asked: Asked, terminal: Terminal): Promise<ExitCode> =>
  withScript(asked, terminal, async ({ script }, seconds) => {
    for (const warning of script.warnings) tellWarning(terminal, warning);
    const { method, identifier } = asked;
    const session = new ScriptSession({
      script,
      facts: { ...factsOf(asked), ...(await embeddedIn(asked.image, terminal.signal)) },
      request: { id: "vitrine delegate call", signal: terminal.signal },
      seconds,
    });
    const noted = noting(checkOf(method));
    try {
      const { understood } = await session.call(
        method,
        noted.check,
        argumentOf(method, identifier),
      );
      terminal.out(noted.text());
      terminal.out(
        checkOf(method)
          ? `understood  ${jsonOf(understood)}\n`
          : "The server does not use answers of this method yet.\n",
      );
      return 0;
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      terminal.out(noted.text());
      tellError(terminal, error.message);
      terminal.err(stackOf(error.cause));
      return 1;
    }
  });

/** A check that keeps the answer, whatever becomes of it. */
const noting = (check: AnswerCheck<unknown> = accepting) => {
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

const accepting: AnswerCheck<unknown> = { expected: "anything", read: (answer) => answer ?? null };

const stackOf = (cause: unknown): string =>
  cause instanceof Error ? `${(cause.stack ?? "").replace(/\?vitrine-[a-z]+=\d+/g, "")}\n` : "";

const withScript = async (
  { file, config }: Which,
  terminal: Terminal,
  use: (loaded: LoadedScript, seconds: number) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const using = async (found: Config, path: string, configuration?: string): Promise<ExitCode> => {
    const loaded = await loadScript(path, rubySettings(found, toTerminal(terminal), configuration));
    try {
      return await use(loaded, found.view(delegateKeys)()[timeout]);
    } finally {
      loaded.close?.();
    }
  };
  if (file !== undefined) {
    checkLanguage(file, "delegate");
    const found = await stat(file).catch(() => undefined);
    if (!found?.isFile()) throw new UsageError(`delegate: there is no file '${file}'`);
    if (config === undefined) return using(new Config(), resolve(file));
  }
  return byConfiguration(config, terminal, async (found) => {
    const env = environment();
    const configuration = findConfig({ named: config, env });
    const pathname = found.view(delegateKeys)()["delegate_script.pathname"];
    const path =
      file === undefined ? await locateScript(pathname, { configuration, env }) : resolve(file);
    return using(found, path, configuration);
  });
};

/** What a delegate writes is no result. */
const toTerminal = ({ err }: Terminal): Logger => {
  const write = (message: string): void => err(`${message}\n`);
  return { trace: write, debug: write, info: write, warn: write, error: write };
};

const timeout = "delegate_script.timeout";

/** What is known of a request for information before the image was opened. */
const factsOf = ({
  identifier,
  clientIp,
  header = {},
  cookie = {},
}: Asked): Partial<DelegateContext> => {
  const uri = `http://localhost/iiif/3/${encodeURIComponent(identifier)}/info.json`;
  return {
    client_ip: clientIp,
    cookies: cookie,
    identifier,
    local_uri: uri,
    request_uri: uri,
    request_headers: header,
  };
};

/** What is embedded in a file; nothing where none is named. */
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
      throw new UsageError(`delegate: '${file}' is of no format this server reads`);
    return { metadata: await readMetadataHash(reader, { format }, signal) };
  });
};

/** What the methods for meta-identifiers are given; undefined for the options that the others are given. */
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
