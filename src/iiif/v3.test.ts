import { versionContract } from "../../test/contract/version.ts";
import { v3 } from "./v3.ts";

versionContract(v3);
