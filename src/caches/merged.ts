/**
 * What several generators give, as it comes, all of them asked at once. What fails in one fails
 * here; the others are then ended, as they are when the reader leaves.
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
      // What a reader that left does not ask any more may fail as it likes.
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
