import { at, isOverrun, reset, restart } from "./bits";
import { down, prediction, readBlock } from "./block";

/** Offsets in the description of a component, beside those that a block needs. */
/** Blocks in a minimum coded unit, across and down. */
const blocksAcross: usize = 8;
const blocksDown: usize = 12;
/** Where the next row of units goes, and the bytes between rows of samples. */
const target: usize = 16;
const stride: usize = 20;
/** Bytes of a row of samples that a block becomes. */
const across: usize = 48;

/** The size of a description in bytes. */
const descriptionBytes: usize = 64;

/** Units until the next restart marker; 0: there are none. */
let interval: u32 = 0;
let unitsLeft: u32 = 0;

/** Begins a scan with restart markers after so many units each; 0: there are none. */
export function begin(restartInterval: u32): void {
  reset();
  interval = restartInterval;
  unitsLeft = restartInterval;
}

/** The address of the first unread byte. */
export function position(): usize {
  return at;
}

/**
 * Decodes a row of `units` units of the components described at `components`; returns false where
 * the data is corrupt or ends too early.
 */
export function decodeRow(components: usize, number: u32, units: u32): bool {
  const end = components + <usize>number * descriptionBytes;
  for (let unit: u32 = 0; unit < units; unit++) {
    if (interval !== 0) {
      if (unitsLeft === 0) {
        if (!restart()) return false;
        unitsLeft = interval;
        for (let one = components; one < end; one += descriptionBytes) store<i32>(one + prediction, 0);
      }
      unitsLeft--;
    }
    for (let one = components; one < end; one += descriptionBytes) {
      const columns = load<u32>(one + blocksAcross);
      const rows = load<u32>(one + blocksDown);
      const width = <usize>load<u32>(one + across);
      const step = <usize>load<u32>(one + down) * load<u32>(one + stride);
      let to = <usize>load<u32>(one + target) + <usize>(unit * columns) * width;
      for (let row: u32 = 0; row < rows; row++, to += step)
        for (let column: u32 = 0; column < columns; column++)
          if (!readBlock(one, to + <usize>column * width)) return false;
    }
  }
  return !isOverrun();
}
