import { readFile } from "node:fs/promises";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, it, onTestFinished } from "vitest";
import { type DelegateMethod, delegateMethods } from "../../src/core/delegate.ts";
import { checkOf } from "../../src/delegate/checks.ts";
import { type SeenRequest, startHttpDelegate } from "../servers/http-delegate.ts";
import { startServer } from "./app.ts";
import { drawPictures } from "./pictures.ts";

const file = new URL("../../docs/delegate-http.openapi.json", import.meta.url);
const document = JSON.parse(await readFile(file, "utf8"));
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema(document, "delegate");

/** The schema's faults of a value at a position of the document. */
const faultsOf = (value: unknown, ...path: readonly string[]): unknown => {
  const place = path.map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1")).join("/");
  const validate = ajv.getSchema(`delegate#/${place}`);
  expect(validate, place).toBeDefined();
  return validate?.(value) ? [] : validate?.errors;
};
const json = ["content", "application/json", "schema"];
const callFaults = ({ name, body }: SeenRequest) =>
  faultsOf(JSON.parse(body), "paths", `/${name}`, "post", "requestBody", ...json);
const answerFaults = (name: string, answer: unknown) =>
  faultsOf(answer, "paths", `/${name}`, "post", "responses", "200", ...json);

it("describes all methods and nothing else", () => {
  expect(document.openapi).toBe("3.1.0");
  expect(Object.keys(document.paths).sort()).toEqual(
    ["methods", ...delegateMethods].map((name) => `/${name}`).sort(),
  );
});

const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>`;

/** Valid and invalid results, as far as a schema can tell. */
const answers: Readonly<Partial<Record<DelegateMethod, readonly (readonly [unknown, boolean])[]>>> =
  {
    pre_authorize: [
      [true, true],
      [false, true],
      [{ status_code: 401, challenge: "Basic" }, true],
      [{ status_code: 303, location: "/login" }, true],
      [{ status_code: 302, scale_numerator: 1, scale_denominator: 2, location: null }, true],
      [null, false],
      ["true", false],
      [{ status_code: "200" }, false],
      [{ status_code: 199 }, false],
      [{}, false],
    ],
    deserialize_meta_identifier: [
      [null, true],
      [{ identifier: "a", page_number: 2, scale_constraint: [1, 2] }, true],
      [{ identifier: "" }, false],
      [{ identifier: "a", page_number: 0 }, false],
      [{ identifier: "a", scale_constraint: [1] }, false],
    ],
    serialize_meta_identifier: [
      ["a;2", true],
      [null, false],
    ],
    extra_iiif3_information_response_keys: [
      [{ rights: "x" }, true],
      [null, true],
      [{ width: 1 }, false],
      [[], false],
    ],
    filesystemsource_pathname: [
      ["/a", true],
      [null, true],
      ["", false],
    ],
    httpsource_resource_info: [
      ["http://x/", true],
      [{ uri: "http://x/", headers: { a: "b" }, send_head_request: false }, true],
      [null, true],
      ["x", false],
      [{ uri: "http://x/", send_head_request: "no" }, false],
    ],
    s3source_object_info: [
      [{ bucket: "b", key: "k" }, true],
      [{ bucket: "b" }, false],
    ],
    jdbcsource_lookup_sql: [
      ["SELECT", true],
      [null, false],
    ],
    overlay: [
      [null, true],
      [{}, true],
      [{ image: "/a.png", position: "top left", inset: 2 }, true],
      [{ string: "Reading room", position: "bottom right", font_size: 20, word_wrap: true }, true],
      [{ string: "Reading room" }, false],
      [{ image: "/a.png", position: 1 }, false],
      [{ string: "a", position: "top left", word_wrap: "yes" }, false],
      [[], false],
    ],
    metadata: [
      [rdf, true],
      [null, true],
      [5, false],
      [{ xmp: rdf }, false],
    ],
    redactions: [
      [[{ x: 0, y: 0, width: 1, height: 1 }], true],
      [null, true],
      [[{ x: 0, y: 0, width: 0, height: 1 }], false],
      [{}, false],
    ],
  };

it.each(Object.entries(answers))("accepts the same results of %s as the server", (name, cases) => {
  for (const [answer, isGood] of cases) {
    const what = `${name}: ${JSON.stringify(answer)}`;
    const read = checkOf(name as DelegateMethod).read(answer);
    expect(read !== undefined, what).toBe(isGood);
    expect(JSON.stringify(answerFaults(name, answer)) === "[]", what).toBe(isGood);
  }
});

it("describes what the server actually sends", async () => {
  const methods = {
    methods: {
      deserialize_meta_identifier: {},
      serialize_meta_identifier: {},
      pre_authorize: { context: ["identifier", "cookies.reader", "request_headers.accept"] },
      source: {},
      filesystemsource_pathname: { context: null },
      redactions: {},
      metadata: { context: ["identifier"] },
      authorize: {},
      extra_iiif3_information_response_keys: {},
    },
  };
  expect(faultsOf(methods, "components", "schemas", "Methods")).toEqual([]);
  const folders = { images: "" };
  const answer = ({ name, body }: SeenRequest): unknown => {
    const { argument, context } = JSON.parse(body || "{}");
    switch (name) {
      case "methods":
        return methods;
      case "deserialize_meta_identifier":
        return { identifier: argument.split(";")[0], page_number: 1 };
      case "serialize_meta_identifier":
        return `${argument.identifier};1`;
      case "source":
        return "FilesystemSource";
      case "filesystemsource_pathname":
        return `${folders.images}/${context.identifier}`;
      case "redactions":
        return [{ x: 0, y: 0, width: 9, height: 9 }];
      case "metadata":
        return context.identifier === "large.tif" ? rdf : null;
      case "extra_iiif3_information_response_keys":
        return { rights: "https://creativecommons.org/licenses/by/4.0/" };
      case "authorize":
        return context.output_format === "image/png"
          ? { status_code: 302, scale_numerator: 1, scale_denominator: 2 }
          : true;
      default:
        return true;
    }
  };
  const delegate = await startHttpDelegate((request) => ({ json: answer(request) }));
  onTestFinished(() => delegate.close());
  const server = await startServer(drawPictures, {
    "delegate.http.url": delegate.url,
    "delegate.http.secret": "a secret of 16 or more",
    "meta_identifier.transformer": "DelegateMetaIdentifierTransformer",
    "source.delegate": true,
    "FilesystemSource.lookup_strategy": "ScriptLookupStrategy",
  });
  onTestFinished(() => server.close());
  folders.images = server.folder;
  const headers = { cookie: "reader=ann; __proto__=x", accept: "*/*" };
  const ask = async (path: string) => (await server.ask(`/iiif/3/${path}`, { headers })).status;
  expect(await ask("large.tif;1/info.json")).toBe(200);
  expect(await ask("large.tif;1/128,128,256,256/100,/90/gray.jpg")).toBe(200);
  const { body } = await server.ask("/iiif/3/large.tif;1/full/50,/0/default.jpg", { headers });
  expect(body.includes(rdf)).toBe(true);
  expect(await ask("small.png;1/full/max/0/default.png")).toBe(302);

  const sent = delegate.seen.filter(({ method }) => method === "POST");
  expect(new Set(sent.map(({ name }) => name))).toEqual(new Set(Object.keys(methods.methods)));
  for (const request of sent) {
    expect(callFaults(request), request.name + request.body).toEqual([]);
    expect(answerFaults(request.name, answer(request)), request.name).toEqual([]);
  }
  const signature = ["components", "parameters", "Signature", "schema"];
  for (const { headers: received } of delegate.seen)
    expect(faultsOf(received["vitrine-signature"], ...signature)).toEqual([]);
}, 30_000);
