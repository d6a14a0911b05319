import type { Kernel } from "../core/wasm.ts";

/** What every module of codecs/ exports that has a heap; see its README. */
export interface HeapCodec extends Kernel {
  _initialize(): void;
  /** The address of so many bytes; 0 where there is no memory for them. */
  allocate(bytes: number): number;
  release(at: number): void;
}

/** An instance with memory of its own. */
export const newHeapCodec = <T extends HeapCodec>(module: WebAssembly.Module): T => {
  // What a module exports is known from its sources alone.
  const codec = new WebAssembly.Instance(module).exports as unknown as T;
  codec._initialize();
  return codec;
};

/** Works on bytes in a codec's memory. After a throw the instance is of no more use. */
export const withBytes = <T extends HeapCodec, R>(
  codec: T,
  bytes: Uint8Array,
  work: (at: number) => R,
): R => {
  const at = room(codec, bytes.length);
  new Uint8Array(codec.memory.buffer, at, bytes.length).set(bytes);
  const result = work(at);
  codec.release(at);
  return result;
};

/** The address of so many bytes; throws where there is no memory for them. */
export const room = (codec: HeapCodec, bytes: number): number => {
  const at = codec.allocate(bytes);
  if (at === 0) throw new Error(`there is no memory for ${bytes} bytes`);
  return at >>> 0;
};
