import { crc32 } from "node:zlib";

const hex = (n: number): string => n.toString(16).padStart(32, "0");

/** The name of a writer's entry of this number in this round: images, some infos, some repeated. */
export const killedName = (round: number, n: number): string => {
  if (n % 10 === 9) return `info/${hex(round * 1_000_000 + n)}`;
  return `image/${hex(round)}/${hex(n % 7 === 6 ? n - 1 : n)}`;
};

const minBytes = 200;
const maxBytes = 40_000;

/** The body of an entry with this name, whoever writes it. */
export const killedBody = (name: string): Uint8Array => {
  const seed = crc32(name);
  const body = Buffer.alloc(minBytes + (seed % (maxBytes - minBytes)));
  for (let at = 0; at + 4 <= body.length; at += 4) body.writeUInt32LE((seed + at) >>> 0, at);
  return body;
};
