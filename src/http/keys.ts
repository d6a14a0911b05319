import { defineKeys } from "../config/keys.ts";

/** The listeners, and how long things may take. */
export const httpKeys = defineKeys({
  "http.enabled": {
    type: "boolean",
    default: true,
    // There it is false, but where HTTPS is off as well, nothing could be served.
    cantaloupe: { key: "https.enabled", opposite: true },
    fileOnly: "listener",
    restart: true,
    doc: "Whether to listen for plain HTTP.",
  },
  "http.host": {
    type: "string",
    default: "0.0.0.0",
    fileOnly: "listener",
    restart: true,
    doc: "The address to listen on; `::` for IPv6 and IPv4, 127.0.0.1 for this machine alone.",
  },
  "http.port": {
    type: "integer",
    default: 8182,
    fileOnly: "listener",
    min: 0,
    max: 65_535,
    restart: true,
    doc: "The port to listen on; 0 for any that is free.",
  },
  "http.accept_queue_limit": {
    type: "integer",
    default: null,
    min: 0,
    restart: true,
    doc: "Most connections that may wait to be accepted; nothing or 0 leaves it to the system.",
  },
  "http.request_timeout": {
    type: "seconds",
    default: 60,
    min: 1,
    max: 3_600,
    doc: "Seconds an answer may take before the request ends with status 504.",
  },
  "http.trusted_proxies": {
    type: "list",
    default: ["loopback"],
    fileOnly: "trust",
    cantaloupe: ["loopback", "private"],
    doc: "Who may say in X-Forwarded-* and Forwarded headers under which public address the server is reached and which client asks: addresses, networks such as 10.0.0.0/8, and the words `loopback` (this machine), `private` (private and link-local networks), `all` and `none`. The same headers from anyone else are ignored.",
  },
  "https.enabled": {
    type: "boolean",
    default: false,
    fileOnly: "listener",
    restart: true,
    doc: "Whether to listen for HTTPS.",
  },
  "https.host": {
    type: "string",
    default: "0.0.0.0",
    fileOnly: "listener",
    restart: true,
    doc: "The address to listen on for HTTPS.",
  },
  "https.port": {
    type: "integer",
    default: 8183,
    fileOnly: "listener",
    min: 0,
    max: 65_535,
    restart: true,
    doc: "The port to listen on for HTTPS; 0 for any that is free.",
  },
  "https.key_store_type": {
    type: "choice",
    choices: ["PKCS12", "PEM", "JKS"],
    default: "PKCS12",
    fileOnly: "listener",
    restart: true,
    doc: "What the key store is: PKCS12 (.p12, .pfx), or PEM with the private key and its certificates in one file; its content counts, whatever this key says. JKS cannot be read; `keytool -importkeystore -srckeystore FILE.jks -destkeystore FILE.p12 -deststoretype PKCS12` converts it. Nor can PKCS12 encrypted with RC2; `openssl pkcs12 -legacy -in OLD.p12 -out NEW.pem` converts that.",
  },
  "https.key_store_path": {
    type: "path",
    default: "",
    fileOnly: "listener",
    restart: true,
    doc: "The file with the private key and the certificates.",
  },
  "https.key_store_password": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    restart: true,
    doc: "The password of a PKCS12 key store.",
  },
  "https.key_password": {
    type: "secret",
    default: "",
    fileOnly: "credential",
    restart: true,
    doc: "The password of a PEM private key; for PKCS12 the key store's password counts.",
  },
});

/** Public addresses, and what error answers give away. */
export const answerKeys = defineKeys({
  base_uri: {
    type: "string",
    default: "",
    fileOnly: "trust",
    doc: "The public address that generated URIs begin with, as in https://images.example.org/path. Outranks what the request and proxies say.",
  },
  log_error_responses: {
    type: "boolean",
    default: false,
    doc: "Whether every error answer but 404 is logged: as an error from status 500 on, as a warning below.",
  },
  print_stack_trace_on_error_pages: {
    type: "boolean",
    default: false,
    fileOnly: "disclosure",
    doc: "Whether error answers show the stack trace, which tells strangers about files and code.",
  },
});

/** Who is told where an answer's time went, and from when on the log is. */
export const timingKeys = defineKeys({
  "http.server_timing": {
    type: "choice",
    choices: ["off", "trusted", "all"],
    default: "off",
    doc: "Who is told in a Server-Timing header where an answer's time went: nobody, clients whose own address http.trusted_proxies names, or everybody. A shared cache keeps the header with the picture and repeats it to others, and behind a proxy that does not say in X-Forwarded-For whom it asks for, everybody looks trusted.",
  },
  "log.slow_request": {
    type: "seconds",
    default: 5,
    min: 0,
    max: 3_600,
    doc: "From how many seconds an answer is slow, and a warning in the application log says where its time went; 0 for never.",
  },
});

/** What clients and shared caches are told in Cache-Control. */
export const clientCacheKeys = defineKeys({
  "cache.client.enabled": {
    type: "boolean",
    default: true,
    cantaloupe: false,
    doc: "Whether images and info.json carry a Cache-Control header.",
  },
  "cache.client.on_nocache": {
    type: "boolean",
    default: true,
    cantaloupe: false,
    doc: "Whether answers to `?cache=nocache` and `?cache=false` carry that header, too.",
  },
  "cache.client.max_age": {
    type: "integer",
    default: 2_592_000,
    blank: null,
    cantaloupe: null,
    min: 0,
    doc: "Seconds a response stays fresh; blank to leave that unsaid.",
  },
  "cache.client.shared_max_age": {
    type: "integer",
    default: null,
    min: 0,
    doc: "Seconds a response stays fresh in shared caches.",
  },
  "cache.client.public": {
    type: "boolean",
    default: true,
    doc: "Whether any cache may keep responses. Outranks cache.client.private.",
  },
  "cache.client.delegate_public": {
    type: "boolean",
    default: false,
    fileOnly: "lock",
    doc: "Whether `cache.client.public` and `cache.client.shared_max_age` also hold for responses that a delegate decides on. If false, these are `private`, since the delegate may answer another client otherwise.",
  },
  "cache.client.private": {
    type: "boolean",
    default: false,
    doc: "Whether only the client's own cache may keep responses.",
  },
  "cache.client.no_cache": {
    type: "boolean",
    default: false,
    doc: "Whether caches must ask before each reuse.",
  },
  "cache.client.no_store": {
    type: "boolean",
    default: false,
    doc: "Whether no cache may keep responses.",
  },
  "cache.client.must_revalidate": {
    type: "boolean",
    default: false,
    doc: "Whether caches must ask once a response is stale.",
  },
  "cache.client.proxy_revalidate": {
    type: "boolean",
    default: false,
    doc: "Whether shared caches must ask once a response is stale.",
  },
  "cache.client.no_transform": {
    type: "boolean",
    default: true,
    cantaloupe: false,
    doc: "Whether proxies must leave responses as they are.",
  },
});
