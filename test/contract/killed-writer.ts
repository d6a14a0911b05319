// A process that writes entries as fast as it can until it is killed. It reports started and
// finished writes on standard output as `b` and `d` with a number. Arguments: kind, settings as
// JSON, round.
import { writeSync } from "node:fs";
import { seal } from "../../src/caches/envelope.ts";
import { stores } from "../../src/caches/index.ts";
import { Config, type Snapshot } from "../../src/config/store.ts";
import { silent } from "../../src/core/log.ts";
import { killedBody, killedName } from "./killed-names.ts";

const [kind = "", settings = "{}", round = "0"] = process.argv.slice(2);
const writers = 16;

const store = await stores[kind]?.open(new Config(JSON.parse(settings) as Snapshot), {
  ttlMs: 0,
  bounds: { bytes: 0, entries: 0 },
  log: silent,
});
if (!store) throw new Error(`Expected a kind of cache, got '${kind}'`);

const signal = new AbortController().signal;
let next = 0;
const write = async (): Promise<never> => {
  for (;;) {
    const n = next++;
    const name = killedName(Number(round), n);
    // Not by the standard output stream: its buffer dies with the process.
    writeSync(1, `b${n}\n`);
    await store.put(name, seal(name, { body: killedBody(name), storedAt: new Date() }), signal);
    writeSync(1, `d${n}\n`);
  }
};
await Promise.all(Array.from({ length: writers }, write));
