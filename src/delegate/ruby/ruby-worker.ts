import { dirname } from "node:path";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { type Fd, WASI } from "@bjorn3/browser_wasi_shim";
import { RubyVM } from "@ruby/wasm-wasi";
import type { Logger } from "../../core/log.ts";
import { boot } from "./boot.ts";
import { Exchange, Lines } from "./devices.ts";
import { type ReadableFolder, ReadOnlyRoot } from "./files.ts";
import { guestPath } from "./guest-path.ts";
import { withoutJavaScript } from "./imports.ts";
import type { RubyCall, RubyMessage, RubyOutcome, RubyStart, RubyWebMessage } from "./messages.ts";
import { webBoot } from "./web-boot.ts";

const port = parentPort;
if (port === null) throw new Error("This module runs only in a thread.");
const { module, path, folders, answered } = workerData as RubyStart;

const tell = (message: RubyMessage): void => port.postMessage(message);

/** Maximum output of one call that is passed on. */
const maxLines = 1_000;
let lines = 0;

const log = (level: keyof Logger, text: string): void => {
  lines++;
  if (lines < maxLines) tell({ kind: "log", level, text });
  if (lines === maxLines)
    tell({ kind: "log", level: "warn", text: "Further output of this call is dropped." });
};

let answer = "";
const calls = new Exchange((text) => {
  answer = text;
});
const entries = new Exchange((text) => {
  const [level, line] = JSON.parse(text) as [keyof Logger, string];
  log(level, line);
});

const flag = new Int32Array(answered);

/** Blocks, since Ruby does. The thread is ended where that takes too long. */
const askWeb = (request: string): string => {
  tell({ kind: "web", request: JSON.parse(request) });
  Atomics.wait(flag, 0, 0);
  Atomics.store(flag, 0, 0);
  const received = receiveMessageOnPort(port) as { readonly message: RubyWebMessage } | undefined;
  if (received === undefined) throw new Error("Expected the response to a web request.");
  return JSON.stringify(received.message.web);
};

const web: Exchange = new Exchange((request) => web.put(askWeb(request)));

const readable: readonly ReadableFolder[] = [
  { path: dirname(path), rubyOnly: true },
  ...folders.map((folder) => ({ path: folder, rubyOnly: false })),
];
const devices = new Map<string, () => Fd>([
  ["/dev/vitrine/calls", () => calls],
  ["/dev/vitrine/log", () => entries],
  ["/dev/vitrine/web", () => web],
]);
const input = new Lines(() => {});
const output = [new Lines((line) => log("info", line)), new Lines((line) => log("warn", line))];
const wasip1 = new WASI([], [], [input, ...output, new ReadOnlyRoot(readable, devices)], {
  debug: false,
});
const { vm } = await RubyVM.instantiateModule({ module, wasip1, addToImports: withoutJavaScript });
vm.eval(boot);
vm.eval(webBoot);
const ruby = vm.eval("Vitrine");

/** Has Ruby handle a call. */
const ask = (request: string): RubyOutcome => {
  lines = 0;
  calls.put(request);
  ruby.call("run");
  return JSON.parse(answer) as RubyOutcome;
};

const load = JSON.stringify({ load: [guestPath(path), folders.map(guestPath)] });
tell({ kind: "loaded", outcome: ask(load) });
port.on("message", ({ request }: RubyCall) => tell({ kind: "answer", outcome: ask(request) }));
