import { versionContract } from "../../test/contract/version.ts";
import { v2 } from "./v2.ts";

versionContract(v2);
