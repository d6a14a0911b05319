export { type App, type AppParts, createApp, type Listener } from "./app/app.ts";
export { keyGroups } from "./app/keys.ts";
export { type ConfigFile, loadConfig } from "./config/file.ts";
export type { ConfigOptions } from "./config/options.ts";
export { Config, type Snapshot } from "./config/store.ts";
export { type MetadataKeysOptions, metadataKeys } from "./delegate/metadata-keys.ts";
export type {
  AccessAnswer,
  CallOptions,
  Context,
  Delegate,
  HttpResourceAnswer,
  MetaIdentifierHash,
  OverlayAnswer,
  RedactionAnswer,
  S3ObjectAnswer,
} from "./delegate/types.ts";
export { createLogs, type Logs } from "./logging/logs.ts";
