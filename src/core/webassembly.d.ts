// What is used of WebAssembly; TypeScript has it only in the library of browsers.
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer;
    /** Adds so many pages of 65,536 bytes; throws where there is no more. */
    grow(pages: number): number;
  }
  interface Instance {
    readonly exports: object;
  }
  function instantiate(code: Uint8Array): Promise<{ readonly instance: Instance }>;
}
