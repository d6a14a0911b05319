import { expect, it } from "vitest";
import { signatureOf } from "./signature.ts";

it("signs the time, the name and the body as Python's hmac does", () => {
  const body = '{"context":{}}';
  const now = Date.UTC(2026, 0, 1) + 999;
  expect(signatureOf({ name: "pre_authorize", body }, "a secret of 16 or more", now)).toBe(
    "t=1767225600,v1=9a4ee71916f381b1d820e1ee8e1c6a348c3006d50cfce264961d4cbd5378b44c",
  );
});
