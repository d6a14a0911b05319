import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import { expect, test } from "vitest";
import { sendWith } from "./handing-over.ts";

test("transfers memory", () => {
  const { port1, port2 } = new MessageChannel();
  const bytes = new Uint8Array([1, 2, 3]);
  sendWith(port1, bytes, [bytes.buffer]);
  expect(bytes).toHaveLength(0);
  expect(receiveMessageOnPort(port2)?.message).toEqual(new Uint8Array([1, 2, 3]));
  port1.close();
});

test("copies memory that cannot be transferred", () => {
  const { port1, port2 } = new MessageChannel();
  const bytes = new Uint8Array([1, 2, 3]);
  const refusing = {
    postMessage(message: unknown, memory: readonly ArrayBuffer[]) {
      if (memory.length > 0)
        throw new DOMException("Cannot transfer object of unsupported type.", "DataCloneError");
      port1.postMessage(message);
    },
  };
  sendWith(refusing, bytes, [bytes.buffer]);
  expect(bytes).toHaveLength(3);
  expect(receiveMessageOnPort(port2)?.message).toEqual(bytes);
  port1.close();
});

test("throws for messages that cannot be cloned", () => {
  const { port1 } = new MessageChannel();
  const bytes = new Uint8Array([1]);
  expect(() => sendWith(port1, { run() {}, bytes }, [bytes.buffer])).toThrow("could not be cloned");
  port1.close();
});
