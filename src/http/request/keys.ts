import { defineKeys } from "../../config/keys.ts";

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
