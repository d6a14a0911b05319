// Before the first test: what is compiled from assembly/ has to be there, and the landing page's
// viewer.
import { placeViewer } from "./viewer.mjs";
import { buildWasm } from "./wasm.mjs";

export const setup = () => {
  if (buildWasm() !== 0) throw new Error("assembly/ does not compile; the compiler said why above");
  placeViewer();
};
