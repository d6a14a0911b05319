import { defineKeys } from "../../config/keys.ts";

/** Keys of public addresses and of details in error responses. */
export const answerKeys = defineKeys({
  base_uri: {
    type: "string",
    default: "",
    fileOnly: "trust",
    doc: "The public address that generated URIs begin with, such as https://images.example.org/path. Overrides Host and forwarded headers.",
  },
  log_error_responses: {
    type: "boolean",
    default: false,
    doc: "Whether every error response except 404 is logged: as an error for status 500 and above, as a warning below.",
  },
  print_stack_trace_on_error_pages: {
    type: "boolean",
    default: false,
    fileOnly: "disclosure",
    doc: "Whether error responses show the stack trace, which reveals files and code to strangers.",
  },
});

/** Keys that select which responses carry timings and which are logged as slow. */
export const timingKeys = defineKeys({
  "http.server_timing": {
    type: "choice",
    choices: ["off", "trusted", "all"],
    default: "off",
    doc: "Which clients get a Server-Timing header with the stages of the response: none, clients whose own address is in http.trusted_proxies, or everybody. A shared cache stores the header with the image and repeats it to others, and behind a proxy that does not send X-Forwarded-For everybody looks trusted.",
  },
  "log.slow_request": {
    type: "seconds",
    default: 5,
    min: 0,
    max: 3_600,
    doc: "Seconds after which a response is slow, so that a warning in the application log lists its stages; 0 for never.",
  },
});

/** Keys of Cache-Control for clients and shared caches. */
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
    doc: "Whether responses to `?cache=nocache` and `?cache=false` carry that header, too.",
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
    doc: "Whether any cache may store responses. Overrides cache.client.private.",
  },
  "cache.client.delegate_public": {
    type: "boolean",
    default: false,
    fileOnly: "lock",
    doc: "Whether `cache.client.public` and `cache.client.shared_max_age` also apply to responses that a delegate decides on. If false, these are `private`, since the delegate may decide otherwise for another client.",
  },
  "cache.client.private": {
    type: "boolean",
    default: false,
    doc: "Whether only the client's own cache may store responses.",
  },
  "cache.client.no_cache": {
    type: "boolean",
    default: false,
    doc: "Whether caches must revalidate before each reuse.",
  },
  "cache.client.no_store": {
    type: "boolean",
    default: false,
    doc: "Whether no cache may store responses.",
  },
  "cache.client.must_revalidate": {
    type: "boolean",
    default: false,
    doc: "Whether caches must revalidate stale responses.",
  },
  "cache.client.proxy_revalidate": {
    type: "boolean",
    default: false,
    doc: "Whether shared caches must revalidate stale responses.",
  },
  "cache.client.no_transform": {
    type: "boolean",
    default: true,
    cantaloupe: false,
    doc: "Whether proxies must not transform responses.",
  },
});
