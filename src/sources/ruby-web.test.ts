import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { hasRuby, withoutRuby } from "../../test/ruby.ts";
import { createHttpClient, type HttpClient } from "../clients/http.ts";
import { silent } from "../core/log.ts";
import { loadRuby, type RubyScript, type RubySettings } from "../delegate/ruby/script.ts";
import { rubyWebClient } from "./ruby-web.ts";

const large = Buffer.alloc(1_500_000, "abcdefghij");

const answers: Readonly<
  Record<string, (request: IncomingMessage, body: Buffer, response: ServerResponse) => void>
> = {
  "/user": ({ headers }, _, response) => {
    response.setHeader("set-cookie", ["a=1", "b=2"]);
    response.end(JSON.stringify({ key: headers["x-api-key"], login: headers.authorization }));
  },
  "/echo": ({ method, headers }, body, response) => {
    response.statusCode = 201;
    response.end(`${method} ${headers["content-type"]} ${body}`);
  },
  "/length": (_, body, response) => void response.end(String(body.length)),
  "/moved": (_request, _, response) => {
    response.writeHead(302, { location: "/gzip" }).end();
  },
  "/gzip": (_request, _, response) => {
    response.setHeader("content-encoding", "gzip");
    response.end(gzipSync("packed"));
  },
  "/large": (_request, _, response) => void response.end(large),
  "/endless": (_request, _, response) => {
    response.setHeader("content-length", 20_000_000);
    response.write(Buffer.alloc(9_000_000));
  },
  "/never": () => {},
  "/meeting": (_request, _, response) => {
    if (first === undefined) {
      first = response;
      return;
    }
    first.end("met");
    first = undefined;
    response.end("met");
  },
};

/** The first of two requests. */
let first: ServerResponse | undefined;

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const answer = answers[new URL(request.url ?? "", "http://localhost").pathname];
    if (answer) answer(request, Buffer.concat(parts), response);
    else response.writeHead(404).end("nothing");
  });
});
let base: string;
let client: HttpClient;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = createHttpClient({
    connectMs: 2_000,
    connections: 4,
    insecure: false,
    isTrusted: (origin) => origin === base,
  });
});

afterAll(async () => {
  await client.close();
  server.closeAllConnections();
  server.close();
});

type Methods = Readonly<Record<string, (argument: unknown, context: object) => Promise<unknown>>>;

const script = `
require 'net/http'
require 'open-uri'
require 'json'

class CustomDelegate
  attr_accessor :context

  def source(options = {})
    base = context['base']
    eval(context['lines'])
  rescue StandardError, NotImplementedError => error
    "#{error.class}: #{error.message}"
  end

  def filesystemsource_pathname(options = {})
    @seen = "#{@seen}#{context['identifier']}"
    Net::HTTP.get(URI("#{context['base']}/meeting"))
    @seen
  end
end
`;

const load = async (settings: Partial<RubySettings>) => {
  const folder = await mkdtemp(join(tmpdir(), "vitrine-ruby-test-"));
  try {
    const path = join(folder, "delegates.rb");
    await writeFile(path, script);
    const memory = 256 * 2 ** 20;
    return await loadRuby(path, {
      ...{ seconds: () => 20, folders: [], memory, log: silent },
      ...settings,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
};

/**
 * The result of lines of Ruby, with `base` as the server's URL; errors as their class and message.
 */
const evaluate = async ({ script: { create } }: RubyScript, lines: string) =>
  (create() as Methods)["source"]?.({}, { lines, base });

let ruby: RubyScript;
const run = (lines: string) => evaluate(ruby, lines);

describe.skipIf(!hasRuby)(`requests that Ruby sends${withoutRuby}`, () => {
  beforeAll(async () => {
    ruby = await load({ web: rubyWebClient(client) });
  }, 60_000);
  afterAll(() => ruby?.close());

  test("read documents, with headers and a login", async () => {
    const answer = await run(`
      uri = URI("#{base}/user")
      request = Net::HTTP::Get.new(uri, 'X-Api-Key' => 'ключ'.bytes.size.to_s)
      request.basic_auth('ann', 'secret')
      response = Net::HTTP.start(uri.host, uri.port) { |http| http.request(request) }
      [response.class.name, response.code, response.get_fields('set-cookie'), JSON.parse(response.body)]`);
    expect(answer).toEqual([
      "Net::HTTPOK",
      "200",
      ["a=1", "b=2"],
      { key: "8", login: `Basic ${Buffer.from("ann:secret").toString("base64")}` },
    ]);
  });

  test("send forms, documents and streams", async () => {
    expect(
      await run(`
      uri = URI("#{base}/echo?q=1")
      put = Net::HTTP::Put.new(uri, 'content-type' => 'application/json')
      put.body = JSON.generate(user: 'ann')
      stream = Net::HTTP::Post.new(uri, 'content-type' => 'text/plain', 'transfer-encoding' => 'chunked')
      stream.body_stream = StringIO.new('streamed')
      http = Net::HTTP.new(uri.host, uri.port)
      [
        Net::HTTP.post_form(uri, 'user' => 'ann & co').body,
        http.request(put).body,
        http.request(stream).body,
        Net::HTTP.post(URI("#{base}/length"), 'x' * 1_200_000).body,
      ]`),
    ).toEqual([
      "POST application/x-www-form-urlencoded user=ann+%26+co",
      'PUT application/json {"user":"ann"}',
      "POST text/plain streamed",
      "1200000",
    ]);
  });

  test("report redirects, which open-uri follows, and decompress bodies", async () => {
    expect(
      await run(`
      moved = Net::HTTP.get_response(URI("#{base}/moved"))
      [moved.code, moved['location'], Net::HTTP.get(URI("#{base}/gzip")), URI.open("#{base}/moved").read,
       Net::HTTP.start(URI(base).host, URI(base).port) { |http| http.head('/large')['content-length'] }]`),
    ).toEqual(["302", "/gzip", "packed", "packed", null]);
  });

  test("read large bodies, also in pieces", async () => {
    expect(
      await run(`
      sizes = []
      Net::HTTP.start(URI(base).host, URI(base).port) do |http|
        http.request_get('/large') { |response| response.read_body { |part| sizes << part.bytesize } }
      end
      [sizes.sum, Net::HTTP.get(URI("#{base}/large")) == 'abcdefghij' * 150_000]`),
    ).toEqual([large.length, true]);
  });

  test("report failures as Net::HTTP does", async () => {
    expect(await run(`URI.open("#{base}/nothing").read`)).toBe("OpenURI::HTTPError: 404 Not Found");
    expect(
      await run(`
      http = Net::HTTP.new(URI(base).host, URI(base).port)
      http.read_timeout = 0.2
      http.get('/never')`),
    ).toContain("Net::ReadTimeout");
    expect(await run(`Net::HTTP.get(URI("#{base}/endless"))`)).toContain("more than 8388608 bytes");
    expect(await run("TCPSocket.new('example.org', 80)")).toContain("sockets cannot be opened");
    expect(await run("OpenSSL::HMAC.hexdigest('SHA256', 'key', 'data')")).toContain(
      "OpenSSL::HMAC",
    );
  });

  test("reach public addresses only, unless an origin is allowed", async () => {
    for (const url of ["http://127.0.0.1:9/", "http://[::1]:9/", "http://169.254.169.254/latest"])
      expect(await run(`Net::HTTP.get(URI("${url}"))`)).toMatch(/^SocketError: .*not public/);
  });

  test("are sent by the server's client only", async () => {
    const alone = await load({});
    onTestFinished(() => alone.close());
    expect(await evaluate(alone, "Net::HTTP.get(URI(base))")).toContain("cannot be sent");
  });

  test("end with the call that waits for them", async () => {
    const hasty = await load({ web: rubyWebClient(client), seconds: () => 1 });
    onTestFinished(() => hasty.close());
    const lines = `
      begin
        Net::HTTP.get(URI("#{base}/never"))
      rescue StandardError
        loop {}
      end`;
    await expect(evaluate(hasty, lines)).rejects.toThrow("it ran for more than 1 s");
  });

  test("can be made by several threads concurrently", async () => {
    const many = await load({ web: rubyWebClient(client), threads: 2 });
    onTestFinished(() => many.close());
    const calls = ["a", "b", "c", "d"].map((identifier) => {
      const object = many.script.create() as Methods;
      return () => object["filesystemsource_pathname"]?.({}, { identifier, base });
    });
    // Each is answered only once another one has arrived.
    for (const seen of [
      ["a", "b", "c", "d"],
      ["aa", "bb", "cc", "dd"],
    ])
      expect(await Promise.all(calls.map((call) => call()))).toEqual(seen);
  });
});
