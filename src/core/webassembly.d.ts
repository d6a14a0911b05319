/**
 * What is used of the WebAssembly JavaScript Interface; @types/node leaves it to the library of
 * browsers.
 */
declare namespace WebAssembly {
  class Memory {
    constructor(pages: {
      readonly initial: number;
      readonly maximum?: number;
      readonly shared?: boolean;
    });
    readonly buffer: ArrayBuffer;
    /** Adds so many pages of 65,536 bytes; throws where there is no more. */
    grow(pages: number): number;
  }
  interface Module {
    readonly compiled?: never;
  }
  class Instance {
    /** Throws where an import is missing, or memory. */
    constructor(module: Module, imports?: Readonly<Record<string, object>>);
    readonly exports: object;
  }
  interface Table {
    /** Puts a function that a module exports into a slot. */
    set(index: number, value: object): void;
  }
  function compile(code: Uint8Array): Promise<Module>;
}
