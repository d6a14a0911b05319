/** A function that WebAssembly calls with whole numbers of 32 bits. */
export type Callback = (...numbers: number[]) => number;

/**
 * Makes functions with so many parameters what WebAssembly's tables take, whose functions are those
 * of modules alone: a module of nothing else hands them on, (i32 …) -> i32.
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
