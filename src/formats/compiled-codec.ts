import { type Kernel, kernelOn } from "../core/wasm.ts";
import { Renewed, type TileKernel, type Unpacker, undoDifferences } from "./unpacker.ts";

/** What every module of codecs/ exports; see its README. */
interface Compiled extends Kernel {
  _initialize(): void;
  reserve(input: number, output: number): number;
  input(): number;
  output(): number;
  decode(length: number, ...wanted: readonly number[]): number;
}

/** A decoder compiled from C, and the kernel for tiles on the same memory. */
interface Pair extends Kernel {
  readonly codec: Compiled;
  readonly kernel: TileKernel;
}

/** A lossless compression, undone by a module of codecs/ and that of assembly/tiles. */
export const compiledUnpacker = (
  module: WebAssembly.Module,
  tiles: WebAssembly.Module,
): Unpacker => {
  const pairs = new Renewed<Pair>(() => pairOf(module, tiles));
  return {
    unpack: (bytes, { most, differences }) =>
      pairs.with(({ codec, kernel }) => {
        const unpacked = run(codec, bytes, { most, wanted: [most] });
        if (differences) undoDifferences(kernel, unpacked, differences);
        return unpacked;
      }),
  };
};

const run = (
  codec: Compiled,
  bytes: Uint8Array,
  { most, wanted }: { readonly most: number; readonly wanted: readonly number[] },
): Uint8Array => {
  if (codec.reserve(bytes.length, most) === 0)
    throw new Error(`there is no memory for ${bytes.length} and ${most} bytes`);
  new Uint8Array(codec.memory.buffer, codec.input(), bytes.length).set(bytes);
  const length = codec.decode(bytes.length, ...wanted);
  if (length < 0) throw new Error("the data is damaged");
  return new Uint8Array(codec.memory.buffer, codec.output(), length);
};

const pairOf = (module: WebAssembly.Module, tiles: WebAssembly.Module): Pair => {
  // What a module exports is known from its sources alone.
  const codec = new WebAssembly.Instance(module).exports as unknown as Compiled;
  codec._initialize();
  const { memory } = codec;
  return { codec, memory, kernel: kernelOn<TileKernel>(tiles, memory) };
};
