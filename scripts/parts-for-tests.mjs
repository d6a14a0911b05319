// Before the first test: the modules compiled from assembly/ and the landing page's viewer have to
// be there.
import { placeViewer } from "./viewer.mjs";
import { buildWasm } from "./wasm.mjs";

export const setup = () => {
  if (buildWasm() !== 0) throw new Error("assembly/ does not compile; the compiler said why above");
  placeViewer();
};
