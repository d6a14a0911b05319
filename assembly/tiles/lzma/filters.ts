/**
 * Undoes the delta filter of XZ (its file format, 5.3.3) in place: each byte is the difference from
 * the one `distance` before it.
 */
export function undoDelta(at: usize, length: usize, distance: usize): void {
  const end = at + length;
  for (at += distance; at < end; at++) store<u8>(at, load<u8>(at) + load<u8>(at - distance));
}

const crcTable: usize = memory.data(8 * 256, 64);
const polynomial: u64 = 0xc96c5795d7870f42;

/** The CRC-64 of XZ (its file format, 6) of `length` bytes. */
export function crc64(at: usize, length: usize): u64 {
  if (load<u64>(crcTable, 8) == 0) prepareCrc();
  let crc: u64 = ~(<u64>0);
  for (const end = at + length; at < end; at++)
    crc = load<u64>(crcTable + ((<usize>crc ^ <usize>load<u8>(at)) & 255) * 8) ^ (crc >> 8);
  return ~crc;
}

function prepareCrc(): void {
  for (let byte: u32 = 0; byte < 256; byte++) {
    let crc: u64 = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ polynomial : crc >> 1;
    store<u64>(crcTable + 8 * byte, crc);
  }
}
