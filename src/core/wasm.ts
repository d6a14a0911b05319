import { readFile } from "node:fs/promises";

/** What every module compiled from assembly/ has: memory of its own, which its functions work on. */
export interface Kernel {
  readonly memory: WebAssembly.Memory;
}

/** Loads `wasm/NAME.wasm`. Each call makes an instance of its own, with its own memory. */
export const loadKernel = async <T extends Kernel>(name: string): Promise<T> => {
  const code = await readFile(new URL(`../../wasm/${name}.wasm`, import.meta.url));
  const { instance } = await WebAssembly.instantiate(code);
  // What a module exports is known from its sources alone.
  return instance.exports as unknown as T;
};

/** Sees to it that a kernel's memory has at least so many bytes. Views of it made before are void afterwards. */
export const reserve = ({ memory }: Kernel, bytes: number): void => {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
};

const pageBytes = 65_536;
