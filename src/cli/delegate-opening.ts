import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { createDelegateWeb, httpDelegateAt } from "../app/delegate.ts";
import { environment } from "../config/environment.ts";
import { findConfig } from "../config/lookup.ts";
import { Config } from "../config/store.ts";
import { type Logger, silent } from "../core/log.ts";
import { type HttpDelegate, httpDelegateUrl } from "../delegate/http/delegate.ts";
import { delegateAddress, httpDelegateKeys } from "../delegate/http/keys.ts";
import { delegateKeys } from "../delegate/keys.ts";
import { type LoadedScript, loadScript, rubySettings } from "../delegate/loading.ts";
import { checkLanguage, locateScript } from "../delegate/locate.ts";
import { rubyWebClient } from "../sources/ruby-web.ts";
import { type ExitCode, type Terminal, UsageError } from "./command.ts";
import { byConfiguration } from "./configuration.ts";

/** Selects a delegate: a file, a URL, or the configured one. */
export interface DelegateChoice {
  readonly file: string | undefined;
  readonly config?: string | undefined;
}

/** What is done with a delegate of either kind. */
export interface DelegateUses {
  /** One in a file, which is closed afterwards; each call may take so many seconds. */
  readonly script: (loaded: LoadedScript, seconds: number) => Promise<ExitCode>;
  /** One over HTTP, not contacted yet. */
  readonly service: (delegate: HttpDelegate, url: URL) => Promise<ExitCode>;
}

/** Runs work with a delegate. */
export const withDelegate = async (
  which: DelegateChoice,
  terminal: Terminal,
  uses: DelegateUses,
): Promise<ExitCode> => {
  const { file, config } = which;
  const withScript = async (
    found: Config,
    path: string,
    configuration?: string,
  ): Promise<ExitCode> => {
    const web = createDelegateWeb(found);
    const ruby = rubySettings(found, toTerminal(terminal), configuration, rubyWebClient(web));
    try {
      const loaded = await loadScript(path, ruby);
      try {
        return await uses.script(loaded, found.view(delegateKeys)()["delegate_script.timeout"]);
      } finally {
        loaded.close?.();
      }
    } finally {
      await web.close();
    }
  };
  const url = file === undefined ? undefined : addressIn(file);
  if (file !== undefined && url === undefined) {
    checkLanguage(file, "delegate");
    const found = await stat(file).catch(() => undefined);
    if (!found?.isFile()) throw new UsageError(`delegate: there is no file '${file}'`);
    if (config === undefined) return withScript(new Config(), resolve(file));
  }
  return byConfiguration(config, terminal, async (found) => {
    if (url !== undefined) return withService(found, url, uses);
    const env = environment();
    const configuration = findConfig({ named: config, env });
    if (file !== undefined) return withScript(found, resolve(file), configuration);
    const configured = httpDelegateUrl(found);
    if (configured !== undefined) return withService(found, configured, uses);
    const pathname = found.view(delegateKeys)()["delegate_script.pathname"];
    const path = await locateScript(pathname, { configuration, env });
    return withScript(found, path, configuration);
  });
};

/** A delegate's output is not part of the result. */
const toTerminal = ({ err }: Terminal): Logger => {
  const write = (message: string): void => err(`${message}\n`);
  return { trace: write, debug: write, info: write, warn: write, error: write };
};

const addressIn = (text: string): URL | undefined => {
  if (!/^https?:/i.test(text)) return undefined;
  try {
    return delegateAddress(text);
  } catch (error) {
    throw new UsageError(`delegate: ${error instanceof Error ? error.message : error}`);
  }
};

const withService = async (config: Config, url: URL, uses: DelegateUses): Promise<ExitCode> => {
  if (config.view(httpDelegateKeys)()["delegate.http.secret"] === "")
    throw new UsageError(
      "delegate: expected delegate.http.secret in the configuration, or DELEGATE_HTTP_SECRET in the environment, since requests are signed",
    );
  const opened = httpDelegateAt(config, silent, url);
  try {
    return await uses.service(opened, url);
  } finally {
    await opened.end();
  }
};
