// Before the first test that starts a process: dist/ has to match src/.
import { build, isBuilt } from "./build.mjs";

export const setup = () => {
  if (!isBuilt() && build() !== 0)
    throw new Error("The server cannot be built; the compiler's messages are above.");
};
