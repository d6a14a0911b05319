import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasRuby, withoutRuby } from "../ruby.ts";
import { type Origin, startOrigin } from "../servers/origin.ts";
import { json, startServer, type TestServer } from "./app.ts";

let origin: Origin;
let server: TestServer;
let folder: string;

const picture = (width: number) =>
  sharp({ create: { width, height: 40, channels: 3, background: "#ffffff" } }).png();

/** A typical script: an object for each request, hashes with strings as keys. */
const script = (web: string, files: string): string => `
require 'java'
require 'uri'

class CustomDelegate
  attr_accessor :context

  LOGGER = Java::edu.illinois.library.cantaloupe.delegate.Logger
  FILES = '${files}'

  def deserialize_meta_identifier(meta_identifier)
    parts = meta_identifier.split('@')
    result = { 'identifier' => parts[0] }
    result['page_number'] = parts[1].to_i if parts[1]
    result['scale_constraint'] = parts[2].split('-').map(&:to_i) if parts[2]
    result
  end

  def serialize_meta_identifier(components)
    constraint = components['scale_constraint']
    text = components['identifier']
    text += "@#{components['page_number'] || 1}" if components['page_number'] || constraint
    text += "@#{constraint.join('-')}" if constraint
    text
  end

  def pre_authorize(options = {})
    @user = context['cookies']['user']
    return { 'status_code' => 401, 'challenge' => 'Basic realm="Images"' } if @user.nil?
    LOGGER.debug("#{@user} asks for #{context['identifier']}")
    if @user == 'small' && context['scale_constraint'] == [1, 1]
      return { 'status_code' => 302, 'scale_numerator' => 1, 'scale_denominator' => 2 }
    end
    raise ArgumentError, 'no such user' if @user == 'eve'
    true
  end

  def authorize(options = {})
    # The object is the one that pre_authorize was called on.
    return false if @user == 'guest' && context['resulting_size']['width'] > 30
    context['operations'].map { |operation| operation['class'] }.include?('Encode') && context['output_format'] == 'image/png'
  end

  def extra_iiif2_information_response_keys(options = {})
    { attribution: 'Ünser Archive' }
  end

  def extra_iiif3_information_response_keys(options = {})
    { 'rights' => 'https://example.org/rights', 'seenBy' => @user, 'pages' => context['page_count'] }
  end

  def source(options = {})
    context['identifier'].start_with?('loans/') ? 'HttpSource' : 'FilesystemSource'
  end

  def filesystemsource_pathname(options = {})
    path = File.join(FILES, context['identifier'])
    context['identifier'] == 'none' ? nil : path
  end

  def httpsource_resource_info(options = {})
    { 'uri' => '${web}/' + URI.encode_www_form_component(context['identifier'].delete_prefix('loans/')) }
  end

  def s3source_object_info(options = {}); end
  def azurestoragesource_blob_key(options = {}); end
  def jdbcsource_database_identifier(options = {}); end
  def jdbcsource_media_type(options = {}); end
  def jdbcsource_lookup_sql(options = {}); end
  def overlay(options = {}); end
  def metadata(options = {})
    return nil unless @user == 'bob'
    xml = %(<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
      xmlns:dc="http://purl.org/dc/elements/1.1/" dc:rights="for #{@user}"/></rdf:RDF>)
    xml
  end

  def redactions(options = {})
    return [] unless context['identifier'] == 'secret.png'
    [{ 'x' => 0, 'y' => 0, 'width' => 20, 'height' => 40 }]
  end
end
`;

beforeAll(async () => {
  if (!hasRuby) return;
  origin = await startOrigin();
  origin.files.set("/map.png", { bytes: await picture(60).toBuffer(), etag: '"1"' });
  folder = await mkdtemp(join(tmpdir(), "vitrine-ruby-test-"));
  for (const name of ["map.png", "secret.png"]) await picture(80).toFile(join(folder, name));
  const path = join(folder, "delegates.rb");
  await writeFile(path, script(origin.base, folder));
  server = await startServer(async () => {}, {
    "delegate_script.enabled": true,
    "delegate_script.pathname": path,
    "meta_identifier.transformer": "DelegateMetaIdentifierTransformer",
    "source.delegate": true,
    "FilesystemSource.lookup_strategy": "ScriptLookupStrategy",
    "FilesystemSource.ScriptLookupStrategy.allowed_paths": [folder],
    "HttpSource.lookup_strategy": "ScriptLookupStrategy",
    "HttpSource.allowed_origins": [origin.base],
    "cache.server.derivative.enabled": true,
  });
}, 60_000);

afterAll(async () => {
  await server?.close();
  await origin?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const as = (user: string) => ({ headers: { cookie: `user=${user}` } });
const information = (identifier: string, version = 3) =>
  `/iiif/${version}/${encodeURIComponent(identifier)}/info.json`;
const image = (identifier: string, size = "max", format = "png") =>
  `/iiif/3/${encodeURIComponent(identifier)}/full/${size}/0/default.${format}`;

describe.skipIf(!hasRuby)(`a delegate script in Ruby${withoutRuby}`, () => {
  it("challenges, denies and allows, also for cached responses", async () => {
    const { status, headers } = await server.ask(information("map.png"));
    expect([status, headers["www-authenticate"]]).toEqual([401, 'Basic realm="Images"']);
    for (let n = 0; n < 3; n++) {
      expect((await server.ask(image("map.png"), as("ann"))).status).toBe(200);
      expect((await server.ask(image("map.png"), as("guest"))).status).toBe(403);
      expect((await server.ask(image("map.png", "30,"), as("guest"))).status).toBe(200);
      expect((await server.ask(image("map.png", "max", "jpg"), as("ann"))).status).toBe(403);
    }
  });

  it("redirects to a scale constraint that it writes itself", async () => {
    const { status, headers } = await server.ask(image("map.png"), as("small"));
    expect(status).toBe(302);
    expect(headers["location"]).toContain("map.png%401%401-2");
    const { body } = await server.ask(image("map.png@1@1-2"), as("small"));
    expect((await sharp(body).metadata()).width).toBe(40);
  });

  it("adds keys to info.json", async () => {
    expect(json(await server.ask(information("map.png"), as("bob")))).toMatchObject({
      rights: "https://example.org/rights",
      seenBy: "bob",
      pages: 1,
    });
    expect(json(await server.ask(information("map.png", 2), as("bob")))).toMatchObject({
      attribution: "Ünser Archive",
    });
  });

  it("locates images", async () => {
    expect(json(await server.ask(information("loans/map.png"), as("a")))).toMatchObject({
      width: 60,
    });
    expect((await server.ask(information("none"), as("a"))).status).toBe(404);
  });

  it("blacks out redactions", async () => {
    const { body } = await server.ask(image("secret.png"), as("ann"));
    const pixels = await sharp(body).greyscale().raw().toBuffer();
    expect([pixels[10], pixels[70]]).toEqual([0, 255]);
  });

  it("writes metadata into responses", async () => {
    const { body } = await server.ask(image("map.png"), as("bob"));
    expect((await sharp(body).metadata()).xmp?.toString()).toContain('dc:rights="for bob"');
    const other = await server.ask(image("map.png"), as("ann"));
    expect((await sharp(other.body).metadata()).xmp).toBeUndefined();
  });

  it("shows nothing when it raises, and hides the reason", async () => {
    const { status, body } = await server.ask(image("map.png"), as("eve"));
    expect(status).toBe(500);
    expect(body.toString()).not.toMatch(/user|Argument|delegates\.rb/);
  });

  it("keeps concurrent requests apart", async () => {
    const users = Array.from({ length: 60 }, (_, n) => `user${n}`);
    const seen = await Promise.all(
      users.map(async (user) => {
        const answer = await server.ask(information("map.png"), as(user));
        return (json(answer) as { seenBy: string }).seenBy;
      }),
    );
    expect(seen).toEqual(users);
  });
});
