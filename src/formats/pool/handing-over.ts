/** What messages are sent by: a thread, or the port of one. */
interface Sender {
  postMessage(message: unknown, memory: readonly ArrayBuffer[]): void;
}

/**
 * Sends a message, handing memory over where that can be. From Node 21 on the memory of native
 * code, such as that of sharp's buffers, cannot: it is copied.
 */
export const sendWith = (
  sender: Sender,
  message: unknown,
  memory: readonly ArrayBuffer[] = [],
): void => {
  try {
    sender.postMessage(message, memory);
  } catch (error) {
    const isRefused = error instanceof Error && error.name === "DataCloneError";
    if (memory.length === 0 || !isRefused) throw error;
    sender.postMessage(message, []);
  }
};
