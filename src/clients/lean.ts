/**
 * What a client library threw, as far as it belongs into a log: name, message and where it came
 * from, not the request with its signature that libraries hang on to it.
 */
export const lean = (thrown: unknown): Error => {
  if (!(thrown instanceof Error)) return new Error(String(thrown));
  const { name, message, stack } = thrown;
  const error = new Error(message);
  error.name = name;
  if (stack !== undefined) error.stack = stack;
  return error;
};
