import { Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { type DelegateMethod, delegateMethods } from "../core/delegate.ts";
import { checkLanguage, isRuby } from "../delegate/locate.ts";
import { methodNamed, similarMethod } from "../delegate/script/methods.ts";
import { type Exit, type ExitCode, type Terminal, UsageError, writeError } from "./command.ts";
import { configOption } from "./options.ts";

/** `vitrine delegate`: commands for developing a delegate. */
export const delegateCommand = (terminal: Terminal, exit: Exit) =>
  new Command("delegate")
    .summary("create, check or try a delegate")
    .helpCommand(false)
    .description(
      "Create, check or try a delegate: a module in TypeScript or JavaScript, or a script in Ruby, with rules of your own.",
    )
    .addCommand(initCommand(terminal, exit))
    .addCommand(checkCommand(terminal, exit))
    .addCommand(callCommand(terminal, exit));

const initCommand = (terminal: Terminal, exit: Exit) =>
  new Command("init")
    .summary("write a commented sample delegate")
    .description("Write a commented sample delegate. An existing file is never replaced.")
    .argument("[file]", "file to write", "delegates.ts")
    .action(async (file) => {
      checkLanguage(file, "delegate init");
      if (isRuby(file))
        throw new UsageError(
          "delegate init: expected a file in TypeScript or JavaScript; delegates in Ruby run as they are",
        );
      exit(await init(file, terminal));
    });

const init = async (file: string, terminal: Terminal): Promise<ExitCode> => {
  const [{ FileExists, writeAtomically }, { sampleDelegate }] = await Promise.all([
    import("../conversion/atomic-file.ts"),
    import("./delegate-sample.ts"),
  ]);
  try {
    await writeAtomically(file, { replace: false }, async (written) => {
      await written.file.writeFile(sampleDelegate(file));
    });
  } catch (error) {
    if (!(error instanceof FileExists)) throw error;
    writeError(terminal, `${file}: the file exists already; nothing was written`);
    return 1;
  }
  terminal.out(
    `Wrote ${file}. To use it, set\n\n  delegate_script.enabled = true\n  delegate_script.pathname = ${file}\n`,
  );
  return 0;
};

const checkCommand = (terminal: Terminal, exit: Exit) =>
  new Command("check")
    .summary("load a delegate and list its methods")
    .description(
      "Load a delegate, or ask one over HTTP, and list its methods; the code of a file is run as far as loading does. Exits with 2 if it cannot be loaded or reached.",
    )
    .argument("[file]", "the delegate's file, or its URL (default: that of the configuration)")
    .addOption(configOption())
    .action(async (file, { config }) => {
      const { checkScript } = await import("./delegate-call.ts");
      exit(await checkScript({ file, config }, terminal));
    });

const callCommand = (terminal: Terminal, exit: Exit) =>
  new Command("call")
    .summary("call a method of a delegate")
    .description(
      "Call a method of a delegate as the server does before it has opened the image, and print its result and how the server interprets it. Exits with 1 if the method fails or returns an invalid result.",
    )
    .argument("<method>", "method, such as pre_authorize", method)
    .argument("[file]", "the delegate's file, or its URL (default: that of the configuration)")
    .option("-i, --identifier <id>", "identifier of an image (decoded)")
    .addOption(configOption())
    .option("--image <file>", "image file whose metadata is put into the context")
    .option("--client-ip <address>", "address of the client", "127.0.0.1")
    .option("--header <header>", "request header, as 'Name: value'; may be repeated", header)
    .option("--cookie <cookie>", "cookie, as name=value; may be repeated", cookie)
    .action(async (name, file, { identifier, ...options }) => {
      if (identifier === undefined) throw new UsageError("delegate call: expected --identifier ID");
      const { callScript } = await import("./delegate-call.ts");
      exit(await callScript({ method: name, file, identifier, ...options }, terminal));
    });

const method = (name: string): DelegateMethod => {
  const found = methodNamed(name);
  if (found !== undefined) return found;
  const meant = similarMethod(name);
  throw new UsageError(
    `delegate call: there is no method '${name}'. ${meant === undefined ? `There are ${delegateMethods.join(", ")}.` : `Is ${meant} meant?`}`,
  );
};

type HeaderValues = Readonly<Record<string, string>>;

const header = (text: string, before: HeaderValues | undefined): HeaderValues => {
  const [, name, value] = /^([^\s:]+):\s*(.*?)\s*$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError("Expected 'Name: value'.");
  return { ...before, [name]: value };
};

const cookie = (text: string, before: HeaderValues | undefined): HeaderValues => {
  const [, name, value] = /^([^\s=;]+)=([^;]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError("Expected name=value.");
  return { ...before, [name]: value };
};
