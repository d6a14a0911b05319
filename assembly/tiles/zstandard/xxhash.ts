const prime1: u64 = 11400714785074694791;
const prime2: u64 = 14029467366897019727;
const prime3: u64 = 1609587929392839161;
const prime4: u64 = 9650029242287828579;
const prime5: u64 = 2870177450012600261;

/** XXH64 of `length` bytes with the seed 0 (RFC 8878, 3.1.1). */
export function hash(at: usize, length: usize): u64 {
  const end = at + length;
  let sum = prime5;
  if (length >= 32) {
    let a = prime1 + prime2;
    let b = prime2;
    let c: u64 = 0;
    let d: u64 = 0 - prime1;
    for (; at + 32 <= end; at += 32) {
      a = round(a, load<u64>(at));
      b = round(b, load<u64>(at, 8));
      c = round(c, load<u64>(at, 16));
      d = round(d, load<u64>(at, 24));
    }
    sum = rotl<u64>(a, 1) + rotl<u64>(b, 7) + rotl<u64>(c, 12) + rotl<u64>(d, 18);
    sum = merge(merge(merge(merge(sum, a), b), c), d);
  }
  sum += length;
  for (; at + 8 <= end; at += 8) sum = rotl<u64>(sum ^ round(0, load<u64>(at)), 27) * prime1 + prime4;
  if (at + 4 <= end) {
    sum = rotl<u64>(sum ^ (<u64>load<u32>(at) * prime1), 23) * prime2 + prime3;
    at += 4;
  }
  for (; at < end; at++) sum = rotl<u64>(sum ^ (<u64>load<u8>(at) * prime5), 11) * prime1;
  sum = (sum ^ (sum >> 33)) * prime2;
  sum = (sum ^ (sum >> 29)) * prime3;
  return sum ^ (sum >> 32);
}

// @ts-ignore: decorator
@inline
function round(sum: u64, value: u64): u64 {
  return rotl<u64>(sum + value * prime2, 31) * prime1;
}

// @ts-ignore: decorator
@inline
function merge(sum: u64, value: u64): u64 {
  return (sum ^ round(0, value)) * prime1 + prime4;
}
