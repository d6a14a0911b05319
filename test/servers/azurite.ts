import { homedir } from "node:os";
import { join } from "node:path";
import { type Database, startDatabase } from "./database.ts";
import { listens, runnable } from "./listens.ts";

/** Azurite's blobs, and the settings by which a cache finds them. */
export interface AzuriteServer extends Database {
  readonly settings: Readonly<Record<`AzureStorageCache.${string}`, string>>;
}

const account = "vitrine";
/** Any text in base64 would do. */
const key = Buffer.from("not so secret a key").toString("base64");

/** The program of Azurite that serves blobs, where it is installed. */
export const azuriteProgram = (): Promise<string | undefined> =>
  runnable(
    [process.env["VITRINE_AZURITE"] ?? "", join(homedir(), ".cache/vitrine-ci/azurite")]
      .filter((folder) => folder !== "")
      .map((folder) => join(folder, "node_modules/.bin/azurite-blob")),
  );

/** Why there is none to test with. */
export const azuriteMissing =
  "no Azurite in the folder that VITRINE_AZURITE names, or in ~/.cache/vitrine-ci/azurite";

/** Starts Azurite on a free port; it has no containers. */
export const startAzurite = async (program: string): Promise<AzuriteServer> => {
  const server = await startDatabase({
    name: "azurite",
    command: "env",
    args: ({ folder, port }) => [
      ...[`AZURITE_ACCOUNTS=${account}:${key}`, "NODE_OPTIONS=", process.execPath, program],
      ...["--blobHost", "127.0.0.1", "--blobPort", `${port}`, "--location", folder],
      // The client is newer than it.
      ...["--silent", "--skipApiVersionCheck", "--disableTelemetry"],
    ],
    answers: ({ port }) => listens(port),
  });
  return {
    ...server,
    settings: {
      "AzureStorageCache.endpoint": `http://127.0.0.1:${server.port}/${account}`,
      "AzureStorageCache.account_name": account,
      "AzureStorageCache.account_key": key,
      "AzureStorageCache.container_name": "Pictures",
    },
  };
};
