/** Size of a WebAssembly memory page in bytes. */
const pageBytes = 65_536;

/**
 * From now on, JavaScript in this thread cannot grow a WebAssembly memory beyond `max()` bytes:
 * growing it throws a RangeError, which Emscripten's runtimes report to the module as a failed
 * allocation.
 */
export const boundGrowth = (max: () => number): void => {
  const { prototype } = WebAssembly.Memory;
  const { grow } = prototype;
  prototype.grow = function (this: WebAssembly.Memory, pages) {
    if (this.buffer.byteLength + pages * pageBytes > max())
      throw new RangeError(`Expected WebAssembly memory of at most ${max()} bytes.`);
    return grow.call(this, pages);
  };
};
