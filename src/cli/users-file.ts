import { readFile, realpath } from "node:fs/promises";
import { hashOf } from "../auth/login/passwords.ts";
import { parseUsers, usualCost, withUser } from "../auth/login/users-file.ts";
import { found, writeAtomically } from "../conversion/atomic-file.ts";

/** A user to add. */
export interface NewUser {
  readonly name: string;
  /** Absent: the user's existing groups. */
  readonly groups: readonly string[] | undefined;
  /** Asks for the password, once everything else is valid. */
  readonly password: () => Promise<string>;
}

/**
 * Adds a user to a users file or changes one; returns whether the user is new. A new file is
 * readable for its owner only; an existing one keeps its owner and mode. Throws `UsersFileFault`
 * where the file, the name or the groups are invalid.
 */
export const addUser = async (
  file: string,
  { name, groups, password }: NewUser,
): Promise<boolean> => {
  const before = await found(file);
  const path = before === undefined ? file : await realpath(file);
  const text = before === undefined ? "" : await readFile(path, "utf8");
  const isNew = !parseUsers(text).byName.has(name);
  withUser(text, name, { hash: anyHash, groups });
  const hash = await hashOf(await password(), usualCost);
  const changed = withUser(text, name, { hash, groups });
  await writeAtomically(path, { replace: before !== undefined }, async ({ file: written }) => {
    await written.chmod(before === undefined ? 0o600 : Number(before.mode) & 0o777);
    if (before !== undefined) {
      const now = await written.stat({ bigint: true });
      if (now.uid !== before.uid || now.gid !== before.gid)
        await written.chown(Number(before.uid), Number(before.gid));
    }
    await written.writeFile(changed);
  });
  return isNew;
};

const anyHash = `$2y$${usualCost}$${"".padEnd(53, ".")}`;
