import { storeContract } from "../../test/contract/store.ts";
import { s3Missing, s3Program, startS3 } from "../../test/servers/s3.ts";
import { Config } from "../config/store.ts";
import { s3 } from "./s3.ts";

const program = await s3Program();

storeContract(
  "S3Cache",
  program === undefined
    ? { skipped: s3Missing }
    : async () => {
        const server = await startS3(program);
        return {
          open: (context) => s3.open(new Config(server.settings), context),
          remove: server.remove,
        };
      },
);
