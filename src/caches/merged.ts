/**
 * Merges several generators that run concurrently. An error of one is thrown here; the others are
 * then ended, as they are when the consumer stops.
 */
export async function* merged<T>(
  generators: readonly AsyncGenerator<T>[],
): AsyncGenerator<T, void, undefined> {
  const asked = new Map<AsyncGenerator<T>, ReturnType<typeof ask<T>>>();
  for (const generator of generators) asked.set(generator, ask(generator));
  try {
    while (asked.size > 0) {
      const { generator, answer } = await Promise.race(asked.values());
      if (answer.done) {
        asked.delete(generator);
        continue;
      }
      yield answer.value;
      asked.set(generator, ask(generator));
    }
  } finally {
    for (const [generator, answer] of asked) {
      // Errors after the consumer has stopped are ignored.
      answer.catch(() => {});
      generator.return(undefined).catch(() => {});
    }
  }
}

const ask = async <T>(
  generator: AsyncGenerator<T>,
): Promise<{ generator: AsyncGenerator<T>; answer: IteratorResult<T, unknown> }> => ({
  generator,
  answer: await generator.next(),
});
