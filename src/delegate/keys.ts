import { defineKeys } from "../config/keys.ts";

/** An institution's own rules, as a module in TypeScript or JavaScript, or a script in Ruby. */
export const delegateKeys = defineKeys({
  "delegate_script.enabled": {
    type: "boolean",
    default: false,
    restart: true,
    fileOnly: "program",
    doc: "Whether the server asks a delegate: a module in TypeScript or JavaScript, or a script in Ruby as Cantaloupe has it, that decides who may see which image, and where images are. `vitrine delegate init` writes one to begin with.",
  },
  "delegate_script.pathname": {
    type: "path",
    default: "",
    restart: true,
    fileOnly: "program",
    doc: "The delegate's file (.ts, .mts, .js, .mjs, .cjs or .rb). A relative path counts from the folder of the configuration file; where nothing is there, a file of that name in the folder itself is taken. The environment variable VITRINE_DELEGATE_SCRIPT outranks it.",
  },
  "delegate_script.timeout": {
    type: "seconds",
    default: 10,
    min: 0.1,
    max: 600,
    fileOnly: "program",
    doc: "Seconds that one call of a delegate's method may take. A call that takes longer fails, and the request with it.",
  },
  "delegate_script.ruby.paths": {
    type: "list",
    default: [],
    restart: true,
    fileOnly: "program",
    doc: "Folders that a delegate in Ruby may read, beside files ending in .rb in the folder of the script; it can write nowhere. Libraries and gems of pure Ruby are found in them. Relative paths count from the folder of the configuration file.",
  },
  "delegate_script.ruby.threads": {
    type: "integer",
    default: 1,
    min: 1,
    max: 16,
    restart: true,
    fileOnly: "program",
    doc: "Threads that run a delegate in Ruby, in each worker. Each runs one call at a time and has its own memory, constants and global variables. More than one is worthwhile where methods wait for web servers.",
  },
  "delegate_script.ruby.memory": {
    type: "bytes",
    default: 268_435_456,
    min: 134_217_728,
    max: 4_294_967_296,
    restart: true,
    fileOnly: "program",
    doc: "Bytes that the memory of a delegate in Ruby may grow to, in each thread; it begins with some 75 MB. Code takes about 100 MB more. What a script needs beyond fails with Ruby's NoMemoryError.",
  },
});
