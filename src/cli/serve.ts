import { Command } from "@commander-js/extra-typings";
import { remoteHub } from "../administration/remote.ts";
import { type Environment, environment, variableOf } from "../config/environment.ts";
import { connectToSupervisor, isWorker } from "../supervisor/worker.ts";
import { openInBrowser } from "./browser.ts";
import { type Exit, type ExitCode, type Terminal, UsageError } from "./command.ts";
import { configure } from "./configuration.ts";
import { configOption, integer } from "./options.ts";

/** `vitrine serve`: runs the server until the process is told to stop. */
export const serveCommand = (terminal: Terminal, exit: Exit) =>
  new Command("serve")
    .summary("run the server")
    .description(
      "Run the server. Without a folder and a configuration it shows sample images on this machine only.",
    )
    .argument("[folder]", "folder of images to serve, instead of a configuration")
    .addOption(configOption())
    .option("-p, --port <number>", "port for HTTP, 0 for any that is free", integer(0, 65_535))
    .option("--host <address>", "address to listen on; 0.0.0.0 for every one")
    .option("--open", "open the start page in the browser")
    .addHelpText(
      "after",
      "\n--port and --host outrank the configuration and the environment.\nThe server stops on Ctrl-C or SIGTERM once the requests under way are answered.",
    )
    .action(async (folder, options) => {
      exit(await serve({ folder, ...options }, terminal));
    });

interface ServeOptions {
  readonly folder: string | undefined;
  readonly config?: string | undefined;
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  readonly open?: true | undefined;
}

const serve = async (wanted: ServeOptions, terminal: Terminal): Promise<ExitCode> => {
  const { folder, config } = wanted;
  const variables = variablesOf(wanted);
  const env = { ...environment(), ...variables };
  const supervisorLink = isWorker() ? connectToSupervisor() : undefined;
  const accepted = supervisorLink && (() => remoteHub(supervisorLink.calls).accepted());
  const found = await configure({ command: "serve", folder, config }, env, terminal, accepted);
  if (found === undefined) {
    supervisorLink?.leave();
    terminal.err("The server was not started. Run 'vitrine config check' for details.\n");
    return 2;
  }
  // Each process loads only what it needs: a supervisor renders nothing.
  if (supervisorLink) {
    const { serveAsWorker } = await import("./serve-worker.ts");
    return serveAsWorker(found.loaded, { supervisorLink, env }, terminal);
  }
  if (wanted.port !== undefined && found.loaded.snapshot["http.enabled"] === false)
    throw new UsageError("serve: --port is for HTTP, but http.enabled is false");
  const serving = wanted.open
    ? ([address = ""]: readonly string[]) => openInBrowser(address, terminal)
    : () => {};
  const start = { args: ["serve", ...found.args], env, variables, serving };
  const { serveThroughWorkers } = await import("./serve-supervisor.ts");
  return serveThroughWorkers(found.loaded, start, terminal);
};

/** The environment overrides files, and workers are started with it. */
const variablesOf = ({ port, host }: ServeOptions): Environment => ({
  ...(port !== undefined && { [variableOf("http.port")]: String(port) }),
  ...(host !== undefined && {
    [variableOf("http.host")]: host,
    [variableOf("https.host")]: host,
  }),
});
