import { killedContract } from "../contract/killed.ts";
import { s3Missing, s3Program, startS3 } from "../servers/s3.ts";

const program = await s3Program();

killedContract("S3Cache", program === undefined ? { skipped: s3Missing } : () => startS3(program));
