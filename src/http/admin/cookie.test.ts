import { describe, expect, it } from "vitest";
import { cookieIn, dropCookie, setCookie } from "./cookie.ts";

const base = "http://localhost:8182";
const cookie = `${"a".repeat(22)}.${"b".repeat(43)}`;

describe("the session cookie", () => {
  it("is found among others, by its name for this port", () => {
    const others = `a=b; vitrine-session=${cookie.toUpperCase()}; vitrine-session-81=x`;
    expect(cookieIn(`${others}; vitrine-session-8182=${cookie}`, base)).toBe(cookie);
    expect(cookieIn(`vitrine-session=${cookie}`, "https://a.example")).toBe(cookie);
    expect(cookieIn(others, base)).toBeUndefined();
    expect(cookieIn(undefined, base)).toBeUndefined();
  });

  it("is found after one of the same name that belongs to no session", () => {
    const planted = `vitrine-session-8182=planted; vitrine-session-8182=${cookie}`;
    expect(cookieIn(planted, base)).toBe(cookie);
    expect(cookieIn("vitrine-session-8182=planted", base)).toBeUndefined();
  });

  it("is hidden from scripts, other sites and, with TLS, plain HTTP", () => {
    expect(setCookie(cookie, base)).toBe(
      `vitrine-session-8182=${cookie}; HttpOnly; SameSite=Strict`,
    );
    expect(setCookie(cookie, "https://a.example")).toBe(
      `vitrine-session=${cookie}; HttpOnly; SameSite=Strict; Secure`,
    );
    expect(dropCookie("https://a.example")).toBe(
      "vitrine-session=; Max-Age=0; HttpOnly; SameSite=Strict; Secure",
    );
  });
});
