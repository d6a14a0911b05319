import { readFile } from "node:fs/promises";

/** What every module has: memory, which its functions work on. */
export interface Kernel {
  readonly memory: WebAssembly.Memory;
}

/** Compiles `wasm/NAME.wasm`, which the build makes of assembly/. */
export const compileWasm = async (name: string): Promise<WebAssembly.Module> =>
  WebAssembly.compile(await readFile(new URL(`../../wasm/${name}.wasm`, import.meta.url)));

/** An instance of a module of wasm/, working on the memory that is given. */
export const kernelOn = <T extends Kernel>(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
): T => {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  // What a module exports is known from its sources alone.
  return exports as unknown as T;
};

/** Loads `wasm/NAME.wasm`. Each call makes an instance of its own, with its own memory. */
export const loadKernel = async <T extends Kernel>(name: string): Promise<T> =>
  kernelOn<T>(await compileWasm(name), new WebAssembly.Memory({ initial: 16 }));

/**
 * Sees to it that a kernel's memory has at least so many bytes. Views of it made before are void
 * afterwards.
 */
export const reserve = ({ memory }: Kernel, bytes: number): void => {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
};

const pageBytes = 65_536;
