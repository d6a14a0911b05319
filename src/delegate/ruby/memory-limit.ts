const pageBytes = 65_536;
const memorySection = 5;

/**
 * A WebAssembly module whose one memory grows to `maxBytes` at most, or not beyond its initial
 * size. The given module is not changed. Throws a RangeError where it has no memory of its own.
 */
export const withMemoryLimit = (module: Uint8Array, maxBytes: number): Uint8Array<ArrayBuffer> => {
  for (let at = 8; at < module.length; ) {
    const size = readNumber(module, at + 1);
    const end = size.next + size.value;
    if (module[at] === memorySection) {
      const count = readNumber(module, size.next);
      const flags = readNumber(module, count.next);
      const min = readNumber(module, flags.next);
      if (count.value !== 1 || flags.value > 1) break;
      const pages = Math.max(min.value, Math.floor(maxBytes / pageBytes));
      const content = [1, 1, ...numberBytes(min.value), ...numberBytes(pages)];
      const section = [memorySection, ...numberBytes(content.length), ...content];
      const limited = new Uint8Array(at + section.length + module.length - end);
      limited.set(module.subarray(0, at));
      limited.set(section, at);
      limited.set(module.subarray(end), at + section.length);
      return limited;
    }
    at = end;
  }
  throw new RangeError("Expected a WebAssembly module with one memory of its own.");
};

/** An unsigned LEB128 number, and where the next item begins. */
const readNumber = (
  bytes: Uint8Array,
  at: number,
): { readonly value: number; readonly next: number } => {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7) {
    const byte = bytes[at++];
    if (byte === undefined) break;
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return { value, next: at };
  }
  throw new RangeError("Corrupt WebAssembly module: a number in it is truncated or too long.");
};

const numberBytes = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...numberBytes(Math.floor(value / 128))];
