import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasRuby, withoutRuby } from "../ruby.ts";
import { type Answer, startServer, type TestServer } from "./app.ts";

/** Returns the JSON in the cookie with a method's name; without one, allows the request. */
const scripts = {
  "delegate.ts": `
import type { AccessAnswer, Context } from "vitrine";

export default class CustomDelegate {
  declare context: Context;

  pre_authorize(): AccessAnswer {
    return this.#answer("pre_authorize");
  }

  authorize(): AccessAnswer {
    return this.#answer("authorize");
  }

  #answer(method: string): AccessAnswer {
    // Redirected requests are let in, so that they end.
    const [numerator, denominator] = this.context.scale_constraint ?? [1, 1];
    if (numerator !== denominator) return true;
    const text = decodeURIComponent(this.context.cookies[method] ?? "true");
    if (text === "raise") throw new Error("secret reason");
    return JSON.parse(text);
  }
}
`,
  "delegates.rb": `
require 'json'
require 'uri'

class CustomDelegate
  attr_accessor :context

  def pre_authorize(options = {})
    answer('pre_authorize')
  end

  def authorize(options = {})
    answer('authorize')
  end

  private

  def answer(method)
    return true unless [nil, [1, 1]].include?(context['scale_constraint'])
    text = URI.decode_www_form_component(context['cookies'][method] || 'true')
    raise 'secret reason' if text == 'raise'
    JSON.parse(text)
  end
end
`,
} as const;

const image = "/iiif/3/a.png/full/max/0/default.png";
const information = "/iiif/3/a.png/info.json";

const challenge = 'Bearer realm="images"';
const away = "https://example.org/elsewhere";
const half = { scale_numerator: 1, scale_denominator: 2 };

/** The result, the response's status, and its required headers. */
const rows: readonly (readonly [unknown, number, Readonly<Record<string, string>>?])[] = [
  [true, 200],
  [false, 403],
  [{ status_code: 200 }, 200],
  [{ status_code: 299 }, 200],
  [{ status_code: 301, location: away }, 301, { location: away }],
  [{ status_code: 302, location: away }, 302, { location: away }],
  [{ status_code: 307, location: away }, 307, { location: away }],
  [{ status_code: 302, ...half }, 302],
  [{ status_code: 303, ...half }, 303],
  [{ status_code: 401, challenge }, 401, { "www-authenticate": challenge }],
  [{ status_code: 400 }, 400],
  [{ status_code: 403 }, 403],
  [{ status_code: 404 }, 404],
  [{ status_code: 410 }, 410],
  [{ status_code: 451 }, 451],
  [{ status_code: 503 }, 503],
  // Contradictory results.
  [{ status_code: 302 }, 500],
  [{ status_code: 302, scale_numerator: 1 }, 500],
  [{ status_code: 200, location: away }, 500],
  [{ status_code: 403, location: away }, 500],
  [{ status_code: 200, ...half }, 500],
  [{ status_code: 403, challenge }, 500],
  [{ status_code: 302, location: away, challenge }, 500],
  [{ status_code: 401 }, 500],
  // Anything else.
  [{ status_code: "200" }, 500],
  [{ status_code: null }, 500],
  [{ status_code: 199 }, 500],
  [{ status_code: 600 }, 500],
  [{}, 500],
  [null, 500],
  ["true", 500],
  [1, 500],
  [[], 500],
  ["raise", 500],
];

const errorTypes = {
  [image]: /^text\/(html|plain)/,
  [information]: /^application\/(ld\+)?json/,
};

const typeOf = (answer: Answer | undefined) => String(answer?.headers["content-type"]);

const write = (value: unknown) =>
  encodeURIComponent(value === "raise" ? "raise" : JSON.stringify(value));

for (const [name, script] of Object.entries(scripts)) {
  const isLeftOut = name.endsWith(".rb") && !hasRuby;

  describe.skipIf(isLeftOut)(`results of ${name}${isLeftOut ? withoutRuby : ""}`, () => {
    let server: TestServer;
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "vitrine-delegate-test-"));
      const path = join(folder, name);
      await writeFile(path, script);
      server = await startServer(
        async (pictures) => {
          await sharp({ create: { width: 80, height: 40, channels: 3, background: "#369" } })
            .png()
            .toFile(join(pictures, "a.png"));
        },
        {
          "delegate_script.enabled": true,
          "delegate_script.pathname": path,
          "cache.server.derivative.enabled": true,
          "cache.server.info.trust_seconds": 60,
        },
      );
    }, 60_000);

    afterAll(async () => {
      await server?.close();
      await rm(folder, { recursive: true, force: true });
    });

    const asking = (path: string, method: string, answer: unknown): Promise<Answer> =>
      server.ask(path, { headers: { cookie: `${method}=${write(answer)}` } });

    const showsNothing = ({ body }: Answer): boolean =>
      !/secret|delegate|"width"|PNG/.test(body.toString("latin1"));

    for (const [answer, status, headers = {}] of rows)
      for (const [path, method] of [
        [image, "pre_authorize"],
        [image, "authorize"],
        [information, "pre_authorize"],
      ] as const)
        it(`${JSON.stringify(answer)} of ${method} is ${status} at ${path}`, async () => {
          // The second time, every allowed response is cached.
          const answers = [await asking(path, method, answer), await asking(path, method, answer)];
          for (const answered of answers) {
            expect(answered.status).toBe(status);
            expect(answered.headers).toMatchObject(headers);
          }
          if (status !== 200) expect(answers.every(showsNothing)).toBe(true);
          if (status >= 400) expect(typeOf(answers[0])).toMatch(errorTypes[path]);
        });

    it("authorize is not called for info.json", async () => {
      expect((await asking(information, "authorize", false)).status).toBe(200);
    });

    it("redirects to the image with a scale constraint, which is half as large", async () => {
      const answer = { status_code: 302, ...half };
      for (const path of [image, information]) {
        const { headers } = await asking(path, "pre_authorize", answer);
        const target = String(headers["location"]);
        expect(target).toBe(`${server.base}${path.replace("a.png", "a.png;1:2")}`);
        const reached = await asking(new URL(target).pathname, "pre_authorize", answer);
        expect(reached.status).toBe(200);
        const { width } =
          path === image ? await sharp(reached.body).metadata() : JSON.parse(String(reached.body));
        expect(width).toBe(40);
      }
    });
  });
}
