/** The fields of a TIFF directory that the server reads (TIFF 6.0 and its supplements). */
export const tags = {
  newSubfileType: 254,
  subfileType: 255,
  imageWidth: 256,
  imageLength: 257,
  bitsPerSample: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  stripOffsets: 273,
  orientation: 274,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  stripByteCounts: 279,
  planarConfiguration: 284,
  t4Options: 292,
  t6Options: 293,
  predictor: 317,
  colorMap: 320,
  tileWidth: 322,
  tileLength: 323,
  tileOffsets: 324,
  tileByteCounts: 325,
  subIfds: 330,
  inkSet: 332,
  extraSamples: 338,
  sampleFormat: 339,
  sMinSampleValue: 340,
  sMaxSampleValue: 341,
  jpegTables: 347,
  yCbCrCoefficients: 529,
  yCbCrSubSampling: 530,
  yCbCrPositioning: 531,
  referenceBlackWhite: 532,
  xmp: 700,
  iccProfile: 34_675,
  lercParameters: 50_674,
} as const;

const kept: ReadonlySet<number> = new Set(Object.values(tags));

/** Whether a field is worth caching. */
export const isKept = (tag: number): boolean => kept.has(tag);

/** Values of Compression (259) with a name here. */
export const compressions = {
  none: 1,
  ccittRle: 2,
  ccittGroup3: 3,
  ccittGroup4: 4,
  lzw: 5,
  oldJpeg: 6,
  jpeg: 7,
  deflate: 8,
  ccittRleWord: 32_771,
  packBits: 32_773,
  thunderScan: 32_809,
  oldDeflate: 32_946,
  jpeg2000OfYcc: 33_003,
  jpeg2000OfVips: 33_004,
  jpeg2000OfRgb: 33_005,
  sgiLog: 34_676,
  sgiLog24: 34_677,
  jpeg2000: 34_712,
  lerc: 34_887,
  lzma: 34_925,
  zstd: 50_000,
  webp: 50_001,
  jpegXl: 50_002,
  jpegXlOfDng: 52_546,
} as const;

/** Names of unsupported compressions, for messages; those not listed are named by number. */
export const compressionNames: Readonly<Record<number, string>> = {
  6: "old-style JPEG",
};

/** Values of PhotometricInterpretation (262). */
export const photometrics = {
  whiteIsZero: 0,
  blackIsZero: 1,
  rgb: 2,
  palette: 3,
  mask: 4,
  separated: 5,
  yCbCr: 6,
  cieLab: 8,
  iccLab: 9,
  logL: 32_844,
  logLuv: 32_845,
} as const;

/** Compressions with a colour conversion of their own: their YCbCr becomes RGB. */
const pictures: ReadonlySet<number> = new Set([
  compressions.jpeg2000OfYcc,
  compressions.jpeg2000OfVips,
  compressions.jpeg2000OfRgb,
  compressions.jpeg2000,
  compressions.jpegXl,
  compressions.jpegXlOfDng,
]);

/** Compressions without bytes: their tiles decode to numbers. */
export const isOfNumbers = (compression: number): boolean =>
  compression === compressions.lerc || pictures.has(compression);

/** The photometric of a compression's output. */
export const decodedPhotometric = (compression: number, photometric: number): number =>
  pictures.has(compression) && photometric === photometrics.yCbCr ? photometrics.rgb : photometric;
