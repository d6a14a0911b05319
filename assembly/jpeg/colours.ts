/** Samples are in 32nds around 0. */
const fraction: i32 = 5;
const middle: i16 = (128 << 5) + (1 << 4);

/** The factors of the JFIF conversion (ITU-T T.871, section 7) without their integer part, in 32,768ths. */
const redOfCr: i16 = 13_173; // 0.402
const greenOfCb: i16 = 11_277; // 0.344136
const greenOfCr: i16 = 23_401; // 0.714136
const blueOfCb: i16 = 25_297; // 0.772

/**
 * Converts rows of YCbCr samples, 16 bits each in 32nds around 0, to RGB of 8 bits. Writes up to
 * the next multiple of 8 pixels.
 */
export function colour(to: usize, luma: usize, blue: usize, red: usize, count: u32): void {
  const end = <usize>(2 * count);
  for (let at: usize = 0; at < end; at += 16, to += 24) {
    const y = i16x8.add_sat_s(v128.load(luma + at), i16x8.splat(middle));
    const cb = v128.load(blue + at);
    const cr = v128.load(red + at);
    const r = i16x8.add_sat_s(y, i16x8.add_sat_s(cr, i16x8.q15mulr_sat_s(cr, i16x8.splat(redOfCr))));
    const g = i16x8.sub_sat_s(
      i16x8.sub_sat_s(y, i16x8.q15mulr_sat_s(cb, i16x8.splat(greenOfCb))),
      i16x8.q15mulr_sat_s(cr, i16x8.splat(greenOfCr)),
    );
    const b = i16x8.add_sat_s(y, i16x8.add_sat_s(cb, i16x8.q15mulr_sat_s(cb, i16x8.splat(blueOfCb))));
    const rg = i8x16.narrow_i16x8_u(i16x8.shr_s(r, fraction), i16x8.shr_s(g, fraction));
    const bb = i8x16.narrow_i16x8_u(i16x8.shr_s(b, fraction), i16x8.shr_s(b, fraction));
    v128.store(to, v128.shuffle<u8>(rg, bb, 0, 8, 16, 1, 9, 17, 2, 10, 18, 3, 11, 19, 4, 12, 20, 5));
    v128.store64_lane(to + 16, v128.shuffle<u8>(rg, bb, 13, 21, 6, 14, 22, 7, 15, 23, 0, 0, 0, 0, 0, 0, 0, 0), 0);
  }
}

/** Converts a row of grey samples to 8 bits; writes up to the next multiple of 8 pixels. */
export function grey(to: usize, luma: usize, count: u32): void {
  const end = <usize>(2 * count);
  for (let at: usize = 0; at < end; at += 16, to += 8) {
    const y = i16x8.add_sat_s(v128.load(luma + at), i16x8.splat(middle));
    const whole = i16x8.shr_s(y, fraction);
    v128.store64_lane(to, i8x16.narrow_i16x8_u(whole, whole), 0);
  }
}
