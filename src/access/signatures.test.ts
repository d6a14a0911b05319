import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readSignatures, type Signatures, type SignedSubject, sign, verify } from "./signatures.ts";
import { markOf, pathSubject, signatureInQuery, takeMark, withSignature } from "./signed-urls.ts";

const signaturesOf = (keys: string): Signatures => {
  const { signatures } = readSignatures({ "access.signatures.keys": keys });
  if (signatures === undefined) throw new Error("Expected signatures");
  return signatures;
};

const now = 1_764_000_000;
const signatures = signaturesOf("new:0123456789abcdefghij old:klmnopqrstuvwxyz0123");
const image: SignedSubject = { kind: "image", identifier: "maps/a.tif" };

describe("a signature", () => {
  it("is HMAC-SHA256 of kind, expiry and subject, as the manual says", () => {
    const expected = createHmac("sha256", "0123456789abcdefghij")
      .update(`image\n${now}\nmaps/a.tif`)
      .digest("base64url");
    expect(sign(signatures, image, now)).toMatchObject({ key: "new", digest: expected });
  });

  it("is valid until it expires, and a little longer to allow for clock differences", () => {
    const signature = sign(signatures, image, now);
    expect(verify(signatures, signature, now - 1)).toBe("valid");
    expect(verify(signatures, signature, now + 30)).toBe("valid");
    expect(verify(signatures, signature, now + 31)).toBe("expired");
  });

  it("is invalid once any part of it is changed", () => {
    const right = sign(signatures, image, now);
    const { digest } = right;
    const last = digest.at(-1) ?? "";
    const sameBytes = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"].find(
      (one) =>
        one !== last &&
        Buffer.from(digest.slice(0, -1) + one, "base64url").equals(
          Buffer.from(digest, "base64url"),
        ),
    );
    expect(sameBytes).toBeDefined();
    for (const wrong of [
      { ...right, expires: now + 1 },
      { ...right, key: "old" },
      { ...right, key: "none" },
      { ...right, subject: { kind: "image", identifier: "maps/A.tif" } as const },
      { ...right, subject: { kind: "image", identifier: "maps/a.tif2" } as const },
      { ...right, subject: { kind: "path", target: "maps/a.tif" } as const },
      { ...right, digest: digest.slice(0, -1) + sameBytes },
      { ...right, digest: digest.slice(1) },
      { ...right, digest: "" },
      { ...right, digest: `${digest}=` },
    ])
      expect(verify(signatures, wrong, now), JSON.stringify(wrong)).toBe("wrong");
  });

  it("stays valid with new keys as long as its own is among them", () => {
    const signature = sign(signatures, image, now);
    const rotated = signaturesOf("newest:ABCDEFGHIJKLMNOPQRST new:0123456789abcdefghij");
    expect(verify(rotated, signature, now)).toBe("valid");
    expect(sign(rotated, image, now).key).toBe("newest");
    const gone = signaturesOf("newest:ABCDEFGHIJKLMNOPQRST");
    expect(verify(gone, signature, now)).toBe("wrong");
    const reused = signaturesOf("new:ABCDEFGHIJKLMNOPQRST");
    expect(verify(reused, signature, now)).toBe("wrong");
  });
});

describe("a signature before an identifier", () => {
  const mark = markOf(sign(signatures, image, now));

  it("is taken off, however its tildes are spelled", () => {
    for (const written of [mark, mark.replaceAll("~", "%7E"), mark.replaceAll("~", "%7e")]) {
      const taken = takeMark(`${written}maps%2Fa.tif`);
      expect(taken).toMatchObject({ mark: written, segment: "maps%2Fa.tif" });
      expect(verify(signatures, { ...taken.signature, subject: image } as never, now)).toBe(
        "valid",
      );
    }
  });

  it("is ignored where it is incomplete", () => {
    for (const raw of [
      "maps%2Fa.tif",
      mark,
      `x${mark}a`,
      `${mark.slice(0, -1)}a`,
      "~1.a.b~c",
      "~~a",
    ])
      expect(takeMark(raw)).toEqual({ mark: "", segment: raw });
  });
});

describe("a signature in a query", () => {
  const path = "/iiif/3/a%2Fb/full/max/0/default.jpg";
  const signed = (query?: string) => withSignature(sign(signatures, pathSubject(path, query), now));
  const worth = (target: string) => {
    const [before = "", query] = target.split("?");
    const found = signatureInQuery(before, query);
    return found && verify(signatures, found, now);
  };

  it("covers the path and all other arguments, byte by byte", () => {
    expect(worth(signed())).toBe("valid");
    expect(worth(signed("page=2"))).toBe("valid");
    const target = signed("page=2");
    for (const wrong of [
      target.replace("page=2", "page=3"),
      target.replace("page=2&", ""),
      `${target}&page=3`,
      target.replace("%2F", "%2f"),
      target.replace("%2F", "/"),
      target.replace("/iiif/3/", "/iiif/3/x/../"),
      target.replace("default", "Default"),
      target.replace(`exp=${now}`, `exp=${now + 1}`),
      target.replace("kid=new", "kid=old"),
    ])
      expect(worth(wrong), wrong).toBe("wrong");
  });

  it("is ignored where a part of it is missing, repeated or misspelt", () => {
    const target = signed();
    expect(worth(path)).toBeUndefined();
    for (const wrong of [
      target.replace("kid=new&", ""),
      `${target}&exp=${now + 999}`,
      `${target}&sig=x`,
      target.replace(`exp=${now}`, "exp=1e12"),
      target.replace(`exp=${now}`, "exp="),
    ])
      expect(worth(wrong), wrong).toBeUndefined();
  });

  it("replaces an existing one", () => {
    const again = pathSubject(path, signed("page=2").split("?")[1]);
    expect(again).toEqual({ kind: "path", target: `${path}?page=2` });
  });
});
