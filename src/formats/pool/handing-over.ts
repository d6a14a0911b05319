/** The sender of messages: a thread, or the port of one. */
interface Sender {
  postMessage(message: unknown, memory: readonly ArrayBuffer[]): void;
}

/**
 * Sends a message, transferring memory where possible. Since Node 21 the memory of native code,
 * such as that of sharp's buffers, cannot be transferred: it is copied.
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
