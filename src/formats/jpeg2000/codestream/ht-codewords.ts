/*
 * The values of `firstRow` and `otherRows` are facts of Rec. ITU-T T.814, annex C. They were not copied from there, but read
 * off the tables of OpenJPEG, which its t1_ht_generate_luts.c makes "as given in the standard" and which carry this notice:
 *
 * This software is released under the 2-Clause BSD license, included below.
 *
 * Copyright (c) 2021, Aous Naman
 * Copyright (c) 2021, Kakadu Software Pty Ltd, Australia
 * Copyright (c) 2021, The University of New South Wales, Australia
 *
 * Redistribution and use in source and binary forms, with or without
 * modification, are permitted provided that the following conditions are met:
 *
 * 1. Redistributions of source code must retain the above copyright notice,
 * this list of conditions and the following disclaimer.
 *
 * 2. Redistributions in binary form must reproduce the above copyright
 * notice, this list of conditions and the following disclaimer in the
 * documentation and/or other materials provided with the distribution.
 *
 * THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS"
 * AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE
 * IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE
 * ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE
 * LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR
 * CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF
 * SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS
 * INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN
 * CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE)
 * ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE
 * POSSIBILITY OF SUCH DAMAGE.
 */

/**
 * The context-adaptive code of significance patterns (Rec. ITU-T T.814 | ISO/IEC 15444-15, annex
 * C), as a table by context and the next seven bits, the first lowest: that of the first row of
 * quads, and 2,048 bytes behind it that of all others. An entry has in bits 0-2 how long the
 * codeword is, in bit 3 whether an exponent offset follows, and then four bits each, the upper left
 * sample's lowest, the one below it next: which samples are significant, the exponent bits that are
 * known to be 1, and which are known.
 */
export const expandCodewords = (): Uint16Array => {
  const table = new Uint16Array(2 * contexts * patterns);
  for (const [set, codes] of [firstRow, otherRows].entries())
    for (const [context, entries] of codes.entries())
      fill(
        table.subarray(
          (set * contexts + context) * patterns,
          (set * contexts + context + 1) * patterns,
        ),
        entries,
      );
  return table;
};

const contexts = 8;
const codewordBits = 7;
const patterns = 1 << codewordBits;
const digits = 4;

/**
 * Codewords in order: each begins where the one before has ended, so their lengths determine them.
 */
const fill = (table: Uint16Array, entries: string): void => {
  let next = 0;
  for (let at = 0; at < entries.length; at += digits) {
    const entry = Number.parseInt(entries.slice(at, at + digits), 16);
    const last = next + (1 << (codewordBits - (entry & 7)));
    for (; next < last; next++) table[mirrored(next)] = entry;
  }
};

/** Seven bits in reverse order. */
const mirrored = (bits: number): number => {
  let other = 0;
  for (let bit = 0; bit < codewordBits; bit++)
    other |= ((bits >> bit) & 1) << (codewordBits - 1 - bit);
  return other;
};

/** By context, the entries of all its codewords in their order, four hexadecimal digits each. */
const firstRow: readonly string[] = [
  "0023008300430014005500c500a5003510bef4fee2fef8fea8eec8cec4ce88ae207e009e0096888e0066445e" +
    "444ef1ffe6fff5ff22effcffbaff99ff00f7e4ef00e7d8df54df11df00d7cccf11bf00b7a2af515f227f0077" +
    "006f313f223f111f222f",
  "0002008400440024001400c510bee4fea2feb8fea8ee54dec4ce88ce88ae00a6009e0096888e003e207e006e" +
    "0066445e0056444e0036222e00f7f1ff88ffe4ef11df22ef00e7d8df00d711bf00b7a2af111f227f0077515f",
  "000200840044002400140055317e74fe11fef1fe20eec4de88de44ce00c620be00ae00a6009e00960066545e" +
    "515e113e444e0036111ef8ff22ef32ff00f700e7d1df00d7c8cf747f22bf00b7888f555f227f0077006f222f" +
    "323f",
  "000300140025f1fdf4fdf8fd0085555d00550045aafef2fef5fec8eed4ded1de44ce00c632be88ae00a60096" +
    "113e717e647e545e515e444e0036111efcfff3ffe6ffb9ff44ef00f7e2efe4ef00e7d8dfd5dfdcdf99df00d7" +
    "c8cfb8bf888f11bfb1bf00b7a2af989f119f737f727f222f667f0077626f446f0067323f",
  "0002008400440024001400a50096b8fe72fe91fec8ee44ee10de88ce00c600bea8aea2ae888e223e407e006e" +
    "0066005e00560036222ef4ff76ff11df99ff00f7e2ef00e700d7c4cf009fb2bf00b7aaaf447f0077444f111f" +
    "313f",
  "0003f2fdf8fdf4fd00a50085004500250015f1fe009676fee8eee2eed4de98de88ce00c6b2be98bea8aea2ae" +
    "aaae888e323e647e226e0066445e00560036222efafff3ffd9ff77fffcff75ff00f7e4efeaefecef66ef00e7" +
    "d1df99dfd5df00d7c4cfb1bf99bfb3bf00b7919f889f667f717f727f737f0077646f515f444f333f313f111f",
  "000300140025f1fdf2fd008500450035f8fef4fefcfe717ef3feeafe66fee8ee54dec8ce00c6b2be91be22ae" +
    "00a60096647e0066115e0056222e323e313e333e111ef5ffb9ff00f7e4ef55dfecef22efe2ef00e7d1dfc8df" +
    "00d7c4cfb8bfcccf99bfbabf00b7a8af989f119f727f888f667f737f0077646f226f444f545f",
  "f1fcf4fcf8fcf2fcfafd0005f3fdf5fdfffdfcfef6fee8eef9fee2eed4ded1deb2be22ae009e717e006e115e" +
    "00260016fbfffeff00f7f7fffdffe4efeaefecef66ef00e7d8dfd5dfdcdf99df00d7c4cf88cf00c7b8bf00a7" +
    "babfb1bfb3bf99bf00b7a8af757f0097888f0087747f727f737f667f007700570067545f444f0047313f323f" +
    "333f0037222f111f",
];

/** As `firstRow`. */
const otherRows: readonly string[] = [
  "0013008300430023006500c500a50095888d0055003510fe40ee00de88ce009e00be88ae005e007e003e444e" +
    "111e222e11ff00f700d744ef00e7c4cf007700b7a2af006f",
  "000100840024001400450035005640fe00c600a6009600bf44ff00f700ef00e700df00d700cf00b700af888f" +
    "009f444f007f0077006f0067005f222f323f113f111f",
  "0001002400140085004500c6a2ae00a600360056222ef8ff72ff51ff44ff00f740ef44ef00e700df00d700cf" +
    "aaaf00bfb2bf00b7a8af007f009f0097888f0077006f0067005f313f444f223f111f",
  "000200240014008500450035517ef1fef8fef2fe00f640de00ce00c6b2be88be00b622ae00a6009e00960076" +
    "0066115e0056222e313e323e111ef4ffe2eff5ffa8fffaff73ff66ffc8ef44ef00e7b3bf44df00d7b1bfa8af" +
    "888f447f727f545f006f444f333f",
  "00010084004400c50025001500a630fe20ee444e0066005632ff11ff00f700bf22ef00e700df00d7c4cfc8cf" +
    "cccf00b700af007f009f0097888f0077006f003f005f0037222f111f",
  "00020044002500f500c5008500550015a8eef2fef8fef4fefcfef1fe00e654de00d644ce207e10be00b600ae" +
    "00a60096888e00760066445e003e444e0036111ef3fffaff76ffd5ff99ff22efe4ef11dfd8df11bfc8cf006f" +
    "009f227f222f515f",
  "0003004400240014005500c500a5008500b6f4fef8fef2fe00f6e8ee00e600d6a2ae227e009e0096888e0076" +
    "0066445e223e444e0036222e111ef1fffcfff5ffb9ffe2effaff76ff33ffd1dfeaef44efe4efc8df44dfd4df" +
    "b1bfc4cfc8cfcccfa8bf22bfb2bfaaafa8af515f747f317f646f226f313f",
  "00f3000400d5f4fdf1fdf8fdf2fd00b500750055fcfef5feb9fea8eefafe76fef3fe00e654de00ae00ce00c6" +
    "32be00a600960086717e00460066115e00360026111e0016e4effbfff7ffffffd8df22efe2efb8bf11dfd1df" +
    "009f11bfb1bf727f888f006f737f447f747f323f545f444f113f222f",
];
