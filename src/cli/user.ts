import { Command } from "@commander-js/extra-typings";
import { type Exit, type ExitCode, type Terminal, UsageError } from "./command.ts";

/** `vitrine user`: commands for a users file. */
export const userCommand = (terminal: Terminal, exit: Exit) =>
  new Command("user")
    .summary("add users to a users file")
    .helpCommand(false)
    .description("Add users to a users file, in the form of Apache's htpasswd with bcrypt.")
    .addCommand(addCommand(terminal, exit));

const addCommand = (terminal: Terminal, exit: Exit) =>
  new Command("add")
    .summary("add a user or change a password")
    .description(
      "Add a user to a users file, or change the password of one. The password is prompted for, or read from the first line of standard input. A server that uses the file needs no restart.",
    )
    .argument("<name>", "the user's name")
    .requiredOption("-f, --file <file>", "users file; it is created if missing")
    .option(
      "-g, --groups <groups>",
      "groups, separated by commas (default: those the user has; '' for none)",
    )
    .action(async (name, { file, groups }) => {
      exit(await add({ name, file, groups }, terminal));
    });

interface Addition {
  readonly name: string;
  readonly file: string;
  readonly groups: string | undefined;
}

const add = async (addition: Addition, terminal: Terminal): Promise<ExitCode> => {
  const [{ readSecret }, { addUser }, { UsersFileFault }] = await Promise.all([
    import("./secret.ts"),
    import("./users-file.ts"),
    import("../auth/login/users-file.ts"),
  ]);
  const { name, file, groups } = addition;
  const listed = groups?.split(",").filter((group) => group.trim() !== "");
  try {
    const isNew = await addUser(file, {
      name,
      groups: listed,
      password: () => readSecret(terminal, `Password for ${name}`),
    });
    terminal.out(`${isNew ? "Added" : "Changed"} ${name} in ${file}.\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof UsersFileFault)) throw error;
    throw new UsageError(`user add: ${file}, ${error.message}`);
  }
};
