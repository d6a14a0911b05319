import { killedContract } from "../contract/killed.ts";
import { azuriteMissing, azuriteProgram, startAzurite } from "../servers/azurite.ts";

const program = await azuriteProgram();

killedContract(
  "AzureStorageCache",
  program === undefined ? { skipped: azuriteMissing } : () => startAzurite(program),
);
