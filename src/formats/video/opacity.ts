import type { OpacityStream } from "./probe.ts";

/** Channels of a frame: red, green and blue. */
const colourChannels = 3;

/** Minimum and maximum of limited range in 8 bits (ITU-T H.273, 8.3). */
const limitedRange = { low: 16, high: 235 } as const;

/**
 * Combines 8-bit colours and the opacity of each pixel, in its stream's range, to red, green, blue
 * and opacity from 0 to 255. Premultiplied colours are divided by the opacity.
 */
export const withOpacity = (
  colours: Uint8Array,
  opacity: Uint8Array,
  { limited, premultiplied }: Pick<OpacityStream, "limited" | "premultiplied">,
): Uint8Array => {
  const channels = colourChannels + 1;
  const pixels = new Uint8ClampedArray(opacity.length * channels);
  const { low, high } = limitedRange;
  for (const [pixel, value] of opacity.entries()) {
    const to = pixel * channels;
    pixels[to + colourChannels] = limited ? ((value - low) * 255) / (high - low) : value;
    const alpha = pixels[to + colourChannels] ?? 0;
    const factor = premultiplied && alpha > 0 ? 255 / alpha : 1;
    for (let channel = 0; channel < colourChannels; channel++)
      pixels[to + channel] = (colours[pixel * colourChannels + channel] ?? 0) * factor;
  }
  return new Uint8Array(pixels.buffer);
};
