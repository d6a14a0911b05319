import { readFile } from "node:fs/promises";

/** Every module exports its memory, on which its functions work. */
export interface Kernel {
  readonly memory: WebAssembly.Memory;
}

/** Compiles `wasm/NAME.wasm`, which the build produces from assembly/. */
export const compileWasm = async (name: string): Promise<WebAssembly.Module> =>
  WebAssembly.compile(await readFile(new URL(`../../wasm/${name}.wasm`, import.meta.url)));

/** Instantiates a module of wasm/ with the given memory. */
export const kernelOn = <T extends Kernel>(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
): T => {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  // A module's exports are known from its sources alone.
  return exports as unknown as T;
};

/** Loads `wasm/NAME.wasm`. Each call creates an instance with its own memory. */
export const loadKernel = async <T extends Kernel>(name: string): Promise<T> =>
  kernelOn<T>(await compileWasm(name), new WebAssembly.Memory({ initial: 16 }));

/** Grows a kernel's memory to at least so many bytes. Earlier views of it become invalid. */
export const reserve = ({ memory }: Kernel, bytes: number): void => {
  const missing = bytes - memory.buffer.byteLength;
  if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
};

const pageBytes = 65_536;
