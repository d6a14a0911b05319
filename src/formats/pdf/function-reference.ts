/** A function that WebAssembly calls with 32-bit integers. */
export type Callback = (...numbers: number[]) => number;

/**
 * Wraps functions with so many parameters for WebAssembly tables, which accept functions of modules
 * only: a module that just re-exports them, (i32 …) -> i32.
 */
export const functionReferences = async (
  parameters: number,
): Promise<(callback: Callback) => object> => {
  const module = await WebAssembly.compile(handingOn(parameters));
  return (callback) => {
    const { exports } = new WebAssembly.Instance(module, { e: { f: callback } });
    return (exports as { readonly f: object }).f;
  };
};

const i32 = 0x7f;

const handingOn = (parameters: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    // The type; the import e.f; the export f.
    ...[1, 5 + parameters, 1, 0x60, parameters, ...Array(parameters).fill(i32), 1, i32],
    ...[2, 7, 1, 1, 0x65, 1, 0x66, 0, 0],
    ...[7, 5, 1, 1, 0x66, 0, 0],
  );
