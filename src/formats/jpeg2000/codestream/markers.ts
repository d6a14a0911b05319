/** Markers of a codestream (ISO/IEC 15444-1, table A.2; 0xff50 and 0xff59 of T.814 and 15444-2). */
export const markers = {
  startOfCodestream: 0xff4f,
  capabilities: 0xff50,
  size: 0xff51,
  codingDefault: 0xff52,
  codingOfComponent: 0xff53,
  tilePartLengths: 0xff55,
  packetLengthsMain: 0xff57,
  packetLengths: 0xff58,
  profile: 0xff59,
  quantizationDefault: 0xff5c,
  quantizationOfComponent: 0xff5d,
  regionOfInterest: 0xff5e,
  progressionChange: 0xff5f,
  packedHeadersMain: 0xff60,
  packedHeaders: 0xff61,
  startOfTilePart: 0xff90,
  startOfPacket: 0xff91,
  endOfPacketHeader: 0xff92,
  startOfData: 0xff93,
  endOfCodestream: 0xffd9,
} as const;

/** A segment's name, for messages. */
export const markerName = (marker: number): string => `marker ${marker.toString(16)}`;

/** Whether an unknown marker has no segment after it (A.1). */
export const isStandalone = (marker: number): boolean => marker >= 0xff30 && marker <= 0xff3f;
