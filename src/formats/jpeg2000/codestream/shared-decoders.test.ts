import { expect, test } from "vitest";
import {
  codestreamBytes,
  codestreamNames,
  decoded,
  opened,
  testDecoder,
} from "../../../../test/codestreams.ts";
import { memoryReader } from "../../../../test/readers.ts";
import { loadReconstruction, runHere } from "./inline-runner.ts";
import { blockField, blockFields } from "./job.ts";

/** A decoder that shares blocks, and how many it has decoded itself. */
const counted = async (memory: ArrayBuffer) => {
  const runner = runHere(await loadReconstruction());
  const count = { decoded: 0 };
  const decoder = await testDecoder(
    1_048_576,
    {
      ...runner,
      run(job, signal) {
        for (let at: number = blockField.isKept; at < job.blocks.length; at += blockFields)
          if (job.blocks[at] === 0) count.decoded++;
        return runner.run(job, signal);
      },
    },
    memory,
  );
  return { decoder, count };
};

const openedAs = (name: string, identity: string) => {
  const bytes = codestreamBytes(name);
  return opened(bytes, { ...memoryReader(bytes), identity });
};

const plain = await testDecoder();

test.each(codestreamNames)(
  "%s is decoded alike from the blocks of another process",
  async (name) => {
    const memory = new ArrayBuffer(33_554_432);
    const [one, other] = [await counted(memory), await counted(memory)];
    const expected = await decoded(plain, await opened(codestreamBytes(name)));
    expect(await decoded(one.decoder, await openedAs(name, "a"))).toEqual(expected);
    expect(await decoded(other.decoder, await openedAs(name, "a"))).toEqual(expected);
    expect(other.count.decoded).toBeLessThanOrEqual(one.count.decoded / 4);
  },
);

test("blocks of another file or version are not used", async () => {
  const memory = new ArrayBuffer(33_554_432);
  const [one, other] = [await counted(memory), await counted(memory)];
  const [name = ""] = codestreamNames;
  await decoded(one.decoder, await openedAs(name, "a"));
  await decoded(other.decoder, await openedAs(name, "b"));
  expect(other.count).toEqual(one.count);
});
