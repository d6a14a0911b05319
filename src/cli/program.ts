import { Command, CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { masked } from "../config/masked.ts";
import { ServerError } from "../core/errors.ts";
import { productVersion } from "../core/product.ts";
import { cacheCommand } from "./cache.ts";
import { type Exit, type ExitCode, type Terminal, UsageError } from "./command.ts";
import { configCommand } from "./config.ts";
import { convertCommand } from "./convert.ts";
import { delegateCommand } from "./delegate.ts";
import { doctorCommand } from "./doctor.ts";
import { explainCommand } from "./explain.ts";
import { exportCommand } from "./export.ts";
import { formatsCommand } from "./formats.ts";
import { inspectCommand } from "./inspect.ts";
import { serveCommand } from "./serve.ts";
import { signCommand } from "./sign.ts";
import { styleFor } from "./style.ts";
import { userCommand } from "./user.ts";
import { warmCommand } from "./warm.ts";

/** Runs a command line, without the program's name; returns the exit code. Never throws. */
export const run = async (args: readonly string[], terminal: Terminal): Promise<ExitCode> => {
  let code: ExitCode = 0;
  const program = createProgram(terminal, (given) => {
    code = given;
  });
  let advice = adviceFor(program);
  program.hook("preAction", (_, command) => {
    advice = adviceFor(command);
  });
  try {
    await program.parseAsync(withoutHelpCommand(args, program), { from: "user" });
    return code;
  } catch (error) {
    // Commander has printed its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const message = masked(error instanceof Error ? error.message : String(error));
    terminal.err(`${terminal.errStyle("error", "vitrine:")} ${message}\n`);
    if (error instanceof UsageError) terminal.err(`${advice}\n`);
    // Our own errors here are invalid configurations.
    return error instanceof UsageError || error instanceof ServerError ? 2 : 1;
  }
};

/** Turns `help a b` into `a b --help`: commander's own `help` takes one word only. */
const withoutHelpCommand = (
  args: readonly string[],
  program: CommandUnknownOpts,
): readonly string[] => {
  if (args.length === 0) return ["--help"];
  if (args[0] !== "help") return args;
  const words: string[] = [];
  let { commands } = program;
  for (const word of args.slice(1)) {
    // After a command without subcommands, there is nothing more to match.
    if (commands.length === 0) break;
    words.push(word);
    const found = commands.find((command) => command.name() === word);
    // Parsing reports an unknown command.
    if (found === undefined) return words;
    commands = found.commands;
  }
  return [...words, "--help"];
};

/** Maximum width of help and messages: longer lines are hard to read. */
const widest = 80;

/** Every command of `vitrine`. */
const createProgram = (terminal: Terminal, exit: Exit): CommandUnknownOpts => {
  const program = new Command("vitrine")
    .description("Vitrine, an image server for the IIIF Image API")
    .version(`vitrine ${productVersion}`, "-v, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command...]", "print the help of a command");
  for (const create of [
    serveCommand,
    configCommand,
    formatsCommand,
    inspectCommand,
    convertCommand,
    doctorCommand,
    exportCommand,
    explainCommand,
    cacheCommand,
    warmCommand,
    delegateCommand,
    signCommand,
    userCommand,
  ])
    program.addCommand(create(terminal, exit));
  configureAll(program, terminal);
  return program;
};

const configureAll = (command: CommandUnknownOpts, terminal: Terminal): void => {
  command
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: (text) => terminal.err(text),
      outputError: (text, write) =>
        write(`${terminal.errStyle("error", "vitrine:")} ${text.replace(/^error: /, "")}`),
      getOutHelpWidth: () => Math.min(widest, terminal.outColumns ?? widest),
      getErrHelpWidth: () => Math.min(widest, terminal.errColumns ?? widest),
    })
    .configureHelp(helpStyle)
    .showHelpAfterError(adviceFor(command));
  for (const one of command.commands) {
    one.helpOption("-h, --help", "print help");
    configureAll(one, terminal);
  }
};

/** Where the documentation of a command is. */
const adviceFor = (command: CommandUnknownOpts): string => `Try '${wordsOf(command)} --help'.`;

const wordsOf = (command: CommandUnknownOpts): string =>
  command.parent ? `${wordsOf(command.parent)} ${command.name()}` : command.name();

/** Commander removes the colours again where the output shows none. */
const style = styleFor(true);
const helpStyle = {
  styleTitle: (text: string) => style("title", text),
  styleCommandText: (text: string) => style("term", text),
  styleSubcommandText: (text: string) => style("term", text),
  styleOptionText: (text: string) => style("term", text),
  styleArgumentText: (text: string) => style("term", text),
};
