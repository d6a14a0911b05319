/** Where a delegate of these finds images, and its overlay. */
export interface EveryMethodPlaces {
  /** Of the web server, without a slash at the end. */
  readonly web: string;
  /** The folder of files. */
  readonly files: string;
  /** The image of the overlay. */
  readonly mark: string;
}

/**
 * A delegate with every method. Identifiers are `store@name`, with `@p2` for a page and `@h` for
 * half the size: stores are `files`, `web`, `s3`, `azure` and `sql`. Files below `closed/` require
 * the cookie `user`.
 */
export const inTypeScript = ({ web, files, mark }: EveryMethodPlaces): string => `
import { join } from "node:path";
import type { Context, Delegate, MetaIdentifierHash } from "vitrine";

const sources = {
  files: "FilesystemSource",
  web: "HttpSource",
  s3: "S3Source",
  azure: "AzureStorageSource",
  sql: "JdbcSource",
} as const;

export default class CustomDelegate implements Delegate {
  declare context: Context;

  deserialize_meta_identifier(text: string): MetaIdentifierHash | null {
    const [store = "", name = "", ...more] = text.split("@");
    if (!Object.hasOwn(sources, store) || name === "") return null;
    const page = more.find((one) => one.startsWith("p"));
    return {
      identifier: store + "/" + name,
      page_number: page === undefined ? null : Number(page.slice(1)),
      scale_constraint: more.includes("h") ? [1, 2] : null,
    };
  }

  serialize_meta_identifier({ identifier, page_number, scale_constraint }: MetaIdentifierHash): string {
    return [
      identifier.replace("/", "@"),
      ...(page_number ? ["p" + page_number] : []),
      ...(scale_constraint ? ["h"] : []),
    ].join("@");
  }

  pre_authorize() {
    const { identifier, cookies, scale_constraint } = this.context;
    if (cookies.user === "old") return { status_code: 301, location: "https://example.org/new" };
    if (cookies.user === "small" && scale_constraint[1] === 1)
      return { status_code: 302, scale_numerator: 1, scale_denominator: 2 };
    return identifier?.startsWith("files/closed/") && cookies.user === undefined
      ? { status_code: 401, challenge: 'Basic realm="Images"' }
      : true;
  }

  authorize() {
    const { cookies, resulting_size } = this.context;
    return cookies.user === "staff" || (resulting_size?.width ?? 0) <= 400;
  }

  async extra_iiif2_information_response_keys() {
    return { attribution: "Archive", license: "https://example.org/terms" };
  }

  async extra_iiif3_information_response_keys() {
    return { rights: "https://example.org/terms", pages: this.context.page_count };
  }

  source() {
    return sources[this.#store as keyof typeof sources];
  }

  filesystemsource_pathname() {
    return join(${JSON.stringify(files)}, this.#name);
  }

  async httpsource_resource_info() {
    return { uri: "${web}/" + encodeURIComponent(this.#name), headers: { "X-Api-Key": "key" } };
  }

  s3source_object_info() {
    return { bucket: "pictures", key: this.#name };
  }

  azurestoragesource_blob_key() {
    return this.#name;
  }

  jdbcsource_database_identifier() {
    return this.#name;
  }

  jdbcsource_last_modified() {
    return "SELECT changed FROM images WHERE name = ?";
  }

  jdbcsource_lookup_sql() {
    return "SELECT data FROM images WHERE name = ?";
  }

  jdbcsource_media_type() {
    return "SELECT 'image/png'";
  }

  redactions() {
    return this.#name === "secret.png" ? [{ x: 20, y: 10, width: 40, height: 30 }] : [];
  }

  overlay() {
    return this.#name === "marked.png"
      ? { image: ${JSON.stringify(mark)}, position: "top left", inset: 0 }
      : null;
  }

  metadata() {
    const { user } = this.context.cookies;
    return user === undefined
      ? null
      : '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ' +
          'xmlns:dc="http://purl.org/dc/elements/1.1/" dc:rights="for ' + user + '"/></rdf:RDF>';
  }

  get #store(): string {
    return this.context.identifier?.split("/")[0] ?? "";
  }

  get #name(): string {
    return this.context.identifier?.split("/").slice(1).join("/") ?? "";
  }
}
`;

/** The same in Ruby. */
export const inRuby = ({ web, files, mark }: EveryMethodPlaces): string => `
require 'uri'

class CustomDelegate
  attr_accessor :context

  SOURCES = {
    'files' => 'FilesystemSource', 'web' => 'HttpSource', 's3' => 'S3Source',
    'azure' => 'AzureStorageSource', 'sql' => 'JdbcSource'
  }.freeze

  def deserialize_meta_identifier(meta_identifier)
    store, name, *more = meta_identifier.split('@')
    return nil if !SOURCES.key?(store) || name.nil?
    page = more.find { |one| one.start_with?('p') }
    result = { 'identifier' => "#{store}/#{name}" }
    result['page_number'] = page[1..].to_i if page
    result['scale_constraint'] = [1, 2] if more.include?('h')
    result
  end

  def serialize_meta_identifier(components)
    parts = [components['identifier'].sub('/', '@')]
    parts << "p#{components['page_number']}" if components['page_number']
    parts << 'h' if components['scale_constraint']
    parts.join('@')
  end

  def pre_authorize(options = {})
    case user
    when 'old'
      return { 'status_code' => 301, 'location' => 'https://example.org/new' }
    when 'small'
      if context['scale_constraint'] == [1, 1]
        return { 'status_code' => 302, 'scale_numerator' => 1, 'scale_denominator' => 2 }
      end
    when nil
      if context['identifier'].start_with?('files/closed/')
        return { 'status_code' => 401, 'challenge' => 'Basic realm="Images"' }
      end
    end
    true
  end

  def authorize(options = {})
    user == 'staff' || context['resulting_size']['width'] <= 400
  end

  def extra_iiif2_information_response_keys(options = {})
    { 'attribution' => 'Archive', 'license' => 'https://example.org/terms' }
  end

  def extra_iiif3_information_response_keys(options = {})
    { 'rights' => 'https://example.org/terms', 'pages' => context['page_count'] }
  end

  def source(options = {})
    SOURCES[store]
  end

  def filesystemsource_pathname(options = {})
    "${files}/#{name}"
  end

  def httpsource_resource_info(options = {})
    { 'uri' => "${web}/#{URI.encode_www_form_component(name)}", 'headers' => { 'X-Api-Key' => 'key' } }
  end

  def s3source_object_info(options = {})
    { 'bucket' => 'pictures', 'key' => name }
  end

  def azurestoragesource_blob_key(options = {})
    name
  end

  def jdbcsource_database_identifier(options = {})
    name
  end

  def jdbcsource_last_modified(options = {})
    'SELECT changed FROM images WHERE name = ?'
  end

  def jdbcsource_lookup_sql(options = {})
    'SELECT data FROM images WHERE name = ?'
  end

  def jdbcsource_media_type(options = {})
    "SELECT 'image/png'"
  end

  def redactions(options = {})
    name == 'secret.png' ? [{ 'x' => 20, 'y' => 10, 'width' => 40, 'height' => 30 }] : []
  end

  def overlay(options = {})
    name == 'marked.png' ? { 'image' => '${mark}', 'position' => 'top left', 'inset' => 0 } : nil
  end

  def metadata(options = {})
    return nil if user.nil?
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ' \\
      "xmlns:dc=\\"http://purl.org/dc/elements/1.1/\\" dc:rights=\\"for #{user}\\"/></rdf:RDF>"
  end

  private

  def user
    context['cookies']['user']
  end

  def store
    context['identifier'].split('/')[0]
  end

  def name
    context['identifier'].split('/')[1..].join('/')
  end
end
`;
