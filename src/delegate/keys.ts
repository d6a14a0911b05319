import { defineKeys } from "../config/keys.ts";

/** An institution's own rules, as a module in TypeScript or JavaScript. */
export const delegateKeys = defineKeys({
  "delegate_script.enabled": {
    type: "boolean",
    default: false,
    restart: true,
    fileOnly: "program",
    doc: "Whether the server asks a delegate: a module in TypeScript or JavaScript that decides who may see which image, and where images are. `vitrine delegate init` writes one to begin with.",
  },
  "delegate_script.pathname": {
    type: "path",
    default: "",
    restart: true,
    fileOnly: "program",
    doc: "The delegate's file (.ts, .mts, .js, .mjs or .cjs). A relative path counts from the folder of the configuration file; where nothing is there, a file of that name in the folder itself is taken. The environment variable VITRINE_DELEGATE_SCRIPT outranks it.",
  },
  "delegate_script.timeout": {
    type: "seconds",
    default: 10,
    min: 0.1,
    max: 600,
    fileOnly: "program",
    doc: "Seconds that one call of a delegate's method may take. A call that takes longer fails, and the request with it.",
  },
});
