import sharp from "sharp";
import { expect, test } from "vitest";
import { profileOf } from "./icc.ts";

/** The image library's own profiles, as it embeds them. */
const profile = async (name: "srgb" | "p3" | "cmyk"): Promise<Uint8Array> => {
  const picture = sharp({ create: { width: 4, height: 4, channels: 3, background: "#804020" } });
  const { icc } = await sharp(await picture.withIccProfile(name).jpeg().toBuffer()).metadata();
  if (icc === undefined) throw new Error(`Expected a profile ${name} in the picture`);
  return icc;
};

test("an sRGB profile is dropped", async () => {
  expect(profileOf(await profile("srgb"), "rgb")).toBe("srgb");
});

test("sRGB is also recognised by its primaries and curve", async () => {
  const renamed = Uint8Array.from(await profile("srgb"));
  const names = Buffer.from(renamed.buffer);
  for (const name of [Buffer.from("sRGB", "latin1"), Buffer.from("sRGB", "utf16le").swap16()])
    for (let at = names.indexOf(name); at >= 0; at = names.indexOf(name))
      names.fill("x", at, at + 8);
  expect(profileOf(renamed, "rgb")).toBe("srgb");
});

test("any other RGB profile is kept", async () => {
  expect(profileOf(await profile("p3"), "rgb")).toBe("kept");
});

test("a CMYK profile requests conversion of the samples", async () => {
  const cmyk = await profile("cmyk");
  expect(profileOf(cmyk, "cmyk")).toBe("converted");
  expect(profileOf(cmyk, "rgb")).toBe("none");
});

test("an invalid or truncated profile is ignored", async () => {
  expect(profileOf(undefined, "rgb")).toBe("none");
  expect(profileOf(new Uint8Array(500), "rgb")).toBe("none");
  const p3 = await profile("p3");
  for (const length of [0, 40, 127, 131])
    expect(profileOf(p3.subarray(0, length), "rgb")).toBe("none");
  for (const length of [132, 140, 200, 400])
    expect(profileOf(p3.subarray(0, length), "rgb")).toBe("kept");
});
