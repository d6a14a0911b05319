import { defineKeys } from "../config/keys.ts";

/** Keys of a delegate as a module in TypeScript or JavaScript, or a script in Ruby. */
export const delegateKeys = defineKeys({
  "delegate_script.enabled": {
    type: "boolean",
    default: false,
    restart: true,
    fileOnly: "program",
    doc: "Whether the server uses a delegate: a module in TypeScript or JavaScript, or a Ruby script as for Cantaloupe, that decides who may see which image, and where images are. `vitrine delegate init` writes one to start from.",
  },
  "delegate_script.pathname": {
    type: "path",
    default: "",
    restart: true,
    fileOnly: "program",
    doc: "The delegate's file (.ts, .mts, .js, .mjs, .cjs or .rb). Relative paths start at the folder of the configuration file; if there is no such file, one of that name in the folder itself is used. The environment variable VITRINE_DELEGATE_SCRIPT overrides it.",
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
    doc: "Folders that a delegate in Ruby may read, beside files ending in .rb in the folder of the script; it can write nowhere. Libraries and gems in pure Ruby are found there. Relative paths start at the folder of the configuration file.",
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
    doc: "Maximum memory of a delegate in Ruby, per thread, in bytes; it starts with about 75 MB. Code takes about 100 MB more. Beyond the limit the script gets Ruby's NoMemoryError.",
  },
});
