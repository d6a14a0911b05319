/** How a key of Cantaloupe's differs here, and why. */
export interface Difference {
  readonly verdict: "better" | "different";
  readonly remark: string;
}

const better = (remark: string): Difference => ({ verdict: "better", remark });
const different = (remark: string): Difference => ({ verdict: "different", remark });

const notWithDelegate = different(
  "Responses that access rules or a delegate decide on are private; for a delegate, cache.client.delegate_public changes that.",
);

const otherEntries = different(
  "Entries that Cantaloupe wrote are neither read nor removed: the cache starts empty. Vitrine has its own names and formats.",
);
const ownOnly = better(
  "Only what Vitrine wrote is ever removed, where Cantaloupe may empty the whole bucket or container.",
);
const password = better("A password may hold a colon, and is compared in constant time.");

const script =
  "With ScriptLookupStrategy, null is answered with 404, and so is a name or path with a part of two dots.";
const identifiersAsKeys =
  "Identifiers with a part of one or two dots are answered with 404: on the way to the service they could become another bucket's.";

/**
 * Remarks on keys with roughly the same meaning. A key that is not listed means exactly the same.
 */
export const differences: Readonly<Record<string, Difference>> = {
  "overlays.strategy": better(
    "What cannot be laid over an image as it should be is a 500; Cantaloupe shows the image without it. A configuration that cannot be followed does not start the server.",
  ),
  "overlays.BasicStrategy.image": better(
    "The overlay image is checked for changes, and may be in other formats than PNG. Web servers have to be public, but for this key's own or those of HttpSource.allowed_origins.",
  ),
  "overlays.BasicStrategy.string": different(
    "The box lies closely around the letters. Lines are as high as the font says.",
  ),
  "overlays.BasicStrategy.string.color": better("White where it is not set."),
  "overlays.BasicStrategy.string.background.color": better("None where it is not set."),
  "http.enabled": different(
    "Where neither http.enabled nor https.enabled is set, Cantaloupe serves nothing; Vitrine serves plain HTTP.",
  ),
  "http.accept_queue_limit": different(
    "Connections beyond http.max_connections are bounded as well.",
  ),
  "https.key_store_type": better(
    "The type of key store is detected from its content, whatever the key says.",
  ),
  "https.key_store_path": different(
    "PKCS12 and PEM are read. JKS and PKCS12 in RC2 are refused, with the command that converts them.",
  ),
  "https.key_password": different(
    "PKCS12 is opened with https.key_store_password; this one is for PEM.",
  ),
  "delegate_script.enabled": different(
    "Scripts in Ruby run as they are, by CRuby in WebAssembly, once its packages are installed (docs/delegates.md names the command); without Java classes, sockets (net/http works) and gems with compiled parts. A delegate may also be a module in TypeScript or JavaScript. Where it cannot be loaded, the server does not start.",
  ),
  "delegate_script.pathname": better(
    "A relative path may have folders: it counts from the folder of the configuration file, and only where nothing is there its file name alone does. VITRINE_DELEGATE_SCRIPT takes the place of -Dcantaloupe.delegate_script.",
  ),
  max_pixels: different(
    "Without a limit nothing is enlarged beyond 100 million pixels, since one request could take all memory. Whole files that are sent unchanged keep to the limit, too.",
  ),
  max_scale: better(
    "Below 1, `max` is as large as it allows instead of being refused, and info.json says that sizes can be enlarged where they can.",
  ),
  "meta_identifier.transformer": better(
    "Where the delegate answers deserialize_meta_identifier with null, that is 404 instead of 500. Redirects spell identifiers percent-encoded.",
  ),
  "meta_identifier.transformer.StandardMetaIdentifierTransformer.delimiter": better(
    "The delimiter is taken literally, not as a regular expression, and may be blank.",
  ),
  "endpoint.iiif.1.enabled": better(
    "Version 1 honours scale constraints in images as well, and its info.json is the same from a cache.",
  ),
  "endpoint.iiif.min_size": better("Holds for version 1, too."),
  "endpoint.iiif.min_tile_size": better(
    "Each scale factor stands once, with the tiles of the stored level that serves it, and no tile is larger than max_pixels allows.",
  ),
  "endpoint.iiif.restrict_to_sizes": better(
    "Listed tiles, rotations, and images that are stored rotated are served; Cantaloupe refuses them.",
  ),
  "endpoint.admin.enabled": better(
    "The control panel is another one, with logins that end. `/admin/configuration` and `/admin/status` answer as before.",
  ),
  "endpoint.admin.secret": password,
  "endpoint.api.enabled": better(
    "Secrets are masked (endpoint.api.show_secrets), bad changes are refused, and keys that name files, programs and logins can be changed in the file only (endpoint.api.change_file_only_keys).",
  ),
  "endpoint.api.secret": password,
  "endpoint.health.enabled": different(
    "Where it is not set, endpoint.api.enabled counts, as in Cantaloupe 5.0. Switches /livez and /readyz, too.",
  ),
  "endpoint.health.dependency_check": better(
    "Every format that was read is tried, and memory and disk space are checked.",
  ),
  "source.static": different("Classes of one's own are refused."),
  "source.delegate": better("An unknown source is reported with the names of the five sources."),
  "FilesystemSource.lookup_strategy": better(
    `${script} FilesystemSource.ScriptLookupStrategy.allowed_paths names folders that files must lie in.`,
  ),
  "HttpSource.lookup_strategy": better(
    `${script} Addresses that are not public are refused unless HttpSource.allowed_origins names their origin. send_head_request has no effect.`,
  ),
  "FilesystemSource.BasicLookupStrategy.path_prefix": better(
    "Nothing outside the prefix's folder is served: identifiers that climb are answered with 404, where Cantaloupe takes `../` out of them. Links may lead out where Cantaloupe's defaults hold (FilesystemSource.follow_symlinks).",
  ),
  "S3Source.endpoint": better(
    "Clients are cached by service, region and credentials; Cantaloupe creates one for each request here.",
  ),
  "S3Source.access_key_id": different(
    "Counts for more than the environment, where Cantaloupe looks first. Blank: the whole AWS credential chain, SSO and web identity included.",
  ),
  "S3Source.lookup_strategy": better(
    `${script} Clients are cached by service and credentials; Cantaloupe caches them by service only.`,
  ),
  "S3Source.BasicLookupStrategy.path_prefix": better(identifiersAsKeys),
  "AzureStorageSource.account_key": better(
    "Where it is blank, a signature (AzureStorageSource.sas_token) or the identity of the machine is used.",
  ),
  "AzureStorageSource.container_name": different(
    "A blank one is refused with BasicLookupStrategy: an identifier is never taken for an address. With ScriptLookupStrategy the delegate answers addresses with signatures then.",
  ),
  "AzureStorageSource.lookup_strategy": better(script),
  "JdbcSource.url": different(
    "The statements come from the delegate, as in Cantaloupe, or stand in JdbcSource.lookup_sql and JdbcSource.last_modified_sql (JdbcSource.lookup_strategy = BasicLookupStrategy). No drivers are needed but the npm package of the database. Images are read in parts.",
  ),
  "JdbcSource.connection_timeout": better("Heeded; Cantaloupe uses that of JdbcCache."),
  "processor.downscale_filter": different(
    "The eight filters are mapped to the closest ones of libvips, so that images differ slightly.",
  ),
  "processor.upscale_filter": different(
    "The eight filters are mapped to the closest ones of libvips, so that images differ slightly.",
  ),
  "processor.sharpen": different(
    "Another unsharp mask: a little stronger or weaker at the same number.",
  ),
  "processor.jpg.quality": different(
    "Another encoder: images of the same quality differ in size. A stored tile that already is the answer is sent as it is (processor.stored_tiles).",
  ),
  "processor.tif.compression": better(
    "JPEG2000 is no choice. A bad value gives way to LZW, where Cantaloupe refuses every TIFF.",
  ),
  "processor.pdf.max_memory_bytes": different(
    "Bounds each thread that draws PDF documents. Where it is not set it is a share of the server's memory, not unlimited.",
  ),
  "cache.client.enabled": better(
    "Answers have an ETag besides, and unchanged ones are answered with 304.",
  ),
  "cache.client.shared_max_age": notWithDelegate,
  "cache.client.public": notWithDelegate,
  "cache.server.source": different(
    "Of no use to images in the file system, which are read where they are.",
  ),
  "cache.server.derivative": otherEntries,
  "cache.server.info.enabled": better(
    "Where it is not set it stays on, as every use looks whether the file is still the same.",
  ),
  "cache.server.resolve_first": better(
    "Where it is false, a file that was replaced is noticed all the same, after cache.server.info.trust_seconds. Limits are checked for cached derivatives, too.",
  ),
  "cache.server.worker.interval": different("86400 where it is not set."),
  "FilesystemCache.pathname": different(
    "`/var/cache/cantaloupe` where it is not set. Entries that Cantaloupe left there are not read, and may be deleted.",
  ),
  "FilesystemCache.dir.depth": different(
    "No more than 4,096 folders are made, however deep they lie.",
  ),
  "HeapCache.target_size": better(
    "A share of the server's memory where it is not set, and never more than it has.",
  ),
  "HeapCache.persist": better("Written when the server stops as well, by each worker."),
  "JdbcCache.url": different(
    "PostgreSQL, MySQL, MariaDB and SQLite; their package must be installed.",
  ),
  "JdbcCache.derivative_image_table": better("Tables are made where they are missing."),
  "RedisCache.host": otherEntries,
  "S3Cache.bucket.name": ownOnly,
  "AzureStorageCache.container_name": ownOnly,
};
