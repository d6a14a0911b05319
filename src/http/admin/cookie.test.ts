import { describe, expect, it } from "vitest";
import { cookieIn, dropCookie, setCookie } from "./cookie.ts";

const base = "http://localhost:8182";
const cookie = `${"a".repeat(22)}.${"b".repeat(43)}`;

describe("the cookie of a session", () => {
  it("is found among others, by the name that it has at this port", () => {
    const others = `a=b; vitrine-session=${cookie.toUpperCase()}; vitrine-session-81=x`;
    expect(cookieIn(`${others}; vitrine-session-8182=${cookie}`, base)).toBe(cookie);
    expect(cookieIn(`vitrine-session=${cookie}`, "https://a.example")).toBe(cookie);
    expect(cookieIn(others, base)).toBeUndefined();
    expect(cookieIn(undefined, base)).toBeUndefined();
  });

  it("is found behind one of the same name that can be of no session", () => {
    const planted = `vitrine-session-8182=planted; vitrine-session-8182=${cookie}`;
    expect(cookieIn(planted, base)).toBe(cookie);
    expect(cookieIn("vitrine-session-8182=planted", base)).toBeUndefined();
  });

  it("is out of reach of scripts and other sites, and of plain HTTP where there is TLS", () => {
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
