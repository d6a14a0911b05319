import { describe, expect, it } from "vitest";
import { requestFault } from "./request-line.ts";
import { parseTarget } from "./target.ts";

interface Line {
  readonly raw?: string;
  readonly method?: string;
  readonly httpVersion?: string;
  readonly hosts?: readonly string[];
}

const faultOf = ({ raw = "/", method = "GET", httpVersion = "1.1", hosts = ["a"] }: Line) =>
  requestFault({
    request: {
      method,
      httpVersion,
      headers: hosts[0] === undefined ? {} : { host: hosts[0] },
      rawHeaders: ["accept", "host", ...hosts.flatMap((host) => ["HOST", host])],
    },
    raw,
    target: parseTarget(raw),
  });

describe("an unambiguous request", () => {
  it.each<Line>([
    {},
    { hosts: ["images.example.org:8182"] },
    { hosts: ["under_score.example.org."] },
    { hosts: ["192.0.2.1:80"] },
    { hosts: ["[2001:db8::1]:80"] },
    { hosts: ["a:"] },
    { hosts: [""] },
    { hosts: [], httpVersion: "1.0" },
    { raw: "http://a:8182/b" },
    { raw: "HTTPS://a" },
    { raw: "*", method: "OPTIONS" },
    { raw: "//a//b" },
  ])("is accepted: %j", (line) => {
    expect(faultOf(line)).toBeUndefined();
  });
});

describe("an ambiguous or malformed request", () => {
  it.each<[Line, string]>([
    [{ hosts: ["a", "a"] }, "Host: expected one header"],
    [{ hosts: ["a", "b"], httpVersion: "1.0" }, "Host: expected one header"],
    [{ hosts: ["a, b"] }, "Host: expected a name"],
    [{ hosts: ["a,b"] }, "Host: expected a name"],
    [{ hosts: ["a/b"] }, "Host: expected a name"],
    [{ hosts: ["u@a"] }, "Host: expected a name"],
    [{ hosts: ["a:b"] }, "Host: expected a name"],
    [{ hosts: ["a:0"] }, "Host: expected a name"],
    [{ hosts: ["a:65536"] }, "Host: expected a name"],
    [{ hosts: ["[::z]"] }, "Host: expected a name"],
    [{ hosts: ["::1"] }, "Host: expected a name"],
    [{ hosts: ["http://a"] }, "Host: expected a name"],
    [{ raw: "http:///b" }, "target: expected a name"],
    [{ raw: "http://u:p@a/b" }, "target: expected a name"],
    [{ raw: "ftp://a/b" }, "target: expected a path"],
    [{ raw: "*" }, "target: expected a path"],
    [{ httpVersion: "2.0" }, "HTTP: expected version"],
    [{ httpVersion: "0.9" }, "HTTP: expected version"],
  ])("is rejected: %j", (line, fault) => {
    expect(faultOf(line)).toContain(fault);
  });
});
