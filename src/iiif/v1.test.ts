import { versionContract } from "../../test/contract/version.ts";
import { v1 } from "./v1.ts";

versionContract(v1);
