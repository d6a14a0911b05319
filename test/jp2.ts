/** A box of a JP2 file (ISO/IEC 15444-1, I.4): its length, four letters, and its content. */
export const box = (type: string, ...contents: readonly Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  return Buffer.concat([numbers(4, content.length + 8), Buffer.from(type, "latin1"), content]);
};

/** Numbers of so many bytes each, big-endian. */
export const numbers = (bytes: 1 | 2 | 4, ...values: readonly number[]): Buffer => {
  const buffer = Buffer.alloc(bytes * values.length);
  for (const [index, value] of values.entries()) buffer.writeUIntBE(value, index * bytes, bytes);
  return buffer;
};

const signature = box("jP  ", numbers(4, 0x0d0a870a));
const fileType = box("ftyp", Buffer.from("jp2 \0\0\0\0jp2 ", "latin1"));

/** A file with the boxes after those that every JP2 begins with. */
export const jp2Of = (...boxes: readonly Uint8Array[]): Buffer =>
  Buffer.concat([signature, fileType, ...boxes]);

/** A colour box that names a colour space by its number. */
export const namedColour = (number: number, precedence = 0): Buffer =>
  box("colr", numbers(1, 1, precedence & 255, 0), numbers(4, number));

/** A colour box with an ICC profile that is only a header. */
export const profiledColour = (space: string, method = 2): Buffer => {
  const profile = Buffer.alloc(132);
  profile.write("acsp", 36, "latin1");
  profile.write("mntr", 12, "latin1");
  profile.write(space, 16, "latin1");
  return box("colr", numbers(1, method, 0, 0), profile);
};

/** A box with the type and association of each channel. */
export const channelDefinitions = (
  ...channels: readonly (readonly [channel: number, kind: number, of: number])[]
): Buffer => box("cdef", numbers(2, channels.length), numbers(2, ...channels.flat()));

/** A palette of 8-bit values: one list per column. */
export const palette = (...columns: readonly (readonly number[])[]): Buffer => {
  const entries = columns[0]?.length ?? 0;
  const values = Array.from({ length: entries }, (_, entry) =>
    columns.map((column) => column[entry] ?? 0),
  );
  return box(
    "pclr",
    numbers(2, entries),
    numbers(1, columns.length),
    numbers(1, ...columns.map(() => 7)),
    numbers(1, ...values.flat()),
  );
};

/** Component, whether it indexes the palette, and which of its columns. */
export const mappings = (
  ...channels: readonly (readonly [component: number, kind: number, column: number])[]
): Buffer =>
  box(
    "cmap",
    ...channels.map(([component, kind, column]) =>
      Buffer.concat([numbers(2, component), numbers(1, kind, column)]),
    ),
  );

/** The size of an image of three components of eight bits. */
export const sizeBox = (width: number, height: number): Buffer =>
  box("ihdr", numbers(4, height, width), numbers(2, 3), numbers(1, 7, 7, 0, 0));
