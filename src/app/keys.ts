import { accessKeys, numberedAccessRules } from "../access/keys.ts";
import { accessFaults } from "../access/policy.ts";
import { healthKeys } from "../administration/health-keys.ts";
import { latestKeys, taskKeys } from "../administration/keys.ts";
import { sessionKeys } from "../administration/session-keys.ts";
import { authKeys, numberedAuthServices } from "../auth/keys.ts";
import { authFaults } from "../auth/services.ts";
import { azure } from "../caches/azure.ts";
import { filesystemCache } from "../caches/filesystem.ts";
import { jdbc } from "../caches/jdbc.ts";
import { memoryKeys } from "../caches/memory.ts";
import { redis } from "../caches/redis.ts";
import { s3 } from "../caches/s3.ts";
import { compatibilityKeys } from "../config/compatibility.ts";
import type { KeyGroup } from "../config/keys.ts";
import { lockKeys } from "../config/locks.ts";
import { memoryKeys as budgetKeys } from "../config/memory-keys.ts";
import { missingPartKeys } from "../config/missing-parts.ts";
import { delegateFaults, httpDelegateKeys } from "../delegate/http/keys.ts";
import { delegateKeys } from "../delegate/keys.ts";
import { tileKeys } from "../formats/fast-jpeg/keys.ts";
import { formatKeys } from "../formats/registry.ts";
import { encodingKeys } from "../formats/write/keys.ts";
import { adminKeys, apiKeys } from "../http/api/keys.ts";
import { connectionKeys } from "../http/connection/connection-limit.ts";
import { httpKeys } from "../http/connection/keys.ts";
import { shutdownKeys } from "../http/connection/shutdown.ts";
import { landingKeys } from "../http/landing/keys.ts";
import { viewerFaults } from "../http/landing/viewers.ts";
import { cacheQueryKeys } from "../http/permission/cache-query.ts";
import { answerKeys, clientCacheKeys, timingKeys } from "../http/request/keys.ts";
import { identifierKeys } from "../iiif/identifiers.ts";
import { limitKeys } from "../iiif/limits.ts";
import { endpointKeys } from "../iiif/versions.ts";
import { loggingKeys } from "../logging/keys.ts";
import { overlayFaults } from "../overlays/basic.ts";
import { overlayKeys } from "../overlays/keys.ts";
import { presentationKeys } from "../presentation/keys.ts";
import { pyramidKeys } from "../pyramids/keys.ts";
import { pyramidStoreKeys } from "../pyramids/store-keys.ts";
import { overviewKeys, renderKeys } from "../render/keys.ts";
import { cachingKeys } from "../service/caching-keys.ts";
import { drawingKeys } from "../service/drawing.ts";
import { infoKeys } from "../service/info-keys.ts";
import { quarantineKeys } from "../service/quarantine-keys.ts";
import { sourceCopyKeys } from "../service/source-copy-keys.ts";
import { azureSource } from "../sources/azure.ts";
import { filesystem } from "../sources/filesystem.ts";
import { http } from "../sources/http.ts";
import { sourceKeys } from "../sources/index.ts";
import { jdbcSource } from "../sources/jdbc.ts";
import { remoteKeys } from "../sources/remote/keys.ts";
import { numberedRules } from "../sources/rules.ts";
import { s3Source } from "../sources/s3.ts";
import { workerKeys } from "../supervisor/keys.ts";

/** Every key of the server, in the order of the manual. */
export const keyGroups: readonly KeyGroup[] = [
  { title: "Listening", keys: { ...httpKeys, ...connectionKeys, ...shutdownKeys, ...workerKeys } },
  { title: "Memory", keys: budgetKeys },
  { title: "Addresses and errors", keys: answerKeys },
  { title: "Compatibility", keys: compatibilityKeys },
  {
    title: "Endpoints",
    keys: {
      ...endpointKeys,
      ...healthKeys,
      ...landingKeys,
      ...apiKeys,
      ...lockKeys,
      ...taskKeys,
      ...adminKeys,
      ...sessionKeys,
    },
    faults: viewerFaults,
  },
  { title: "Presentation", keys: presentationKeys },
  { title: "Protection", keys: missingPartKeys },
  { title: "Access", keys: accessKeys, numbered: numberedAccessRules, faults: accessFaults },
  { title: "IIIF Auth", keys: authKeys, numbered: numberedAuthServices, faults: authFaults },
  {
    title: "Delegate",
    keys: { ...delegateKeys, ...httpDelegateKeys },
    faults: delegateFaults,
  },
  { title: "Overlays", keys: overlayKeys, faults: overlayFaults },
  { title: "Identifiers", keys: identifierKeys },
  { title: "Limits and information", keys: limitKeys },
  {
    title: "Sources",
    keys: {
      ...sourceKeys,
      ...filesystem.keys,
      ...http.keys,
      ...s3Source.keys,
      ...azureSource.keys,
      ...jdbcSource.keys,
      ...remoteKeys,
    },
    numbered: numberedRules,
  },
  { title: "Reading", keys: formatKeys },
  {
    title: "Drawing",
    keys: { ...drawingKeys, ...quarantineKeys, ...renderKeys, ...overviewKeys, ...tileKeys },
  },
  { title: "Encoding", keys: encodingKeys },
  { title: "Client caches", keys: clientCacheKeys },
  {
    title: "Server caches",
    keys: {
      ...cachingKeys,
      ...cacheQueryKeys,
      ...infoKeys,
      ...memoryKeys,
      ...filesystemCache.keys,
      ...sourceCopyKeys,
      ...jdbc.keys,
      ...redis.keys,
      ...s3.keys,
      ...azure.keys,
    },
  },
  { title: "Pyramids", keys: { ...pyramidKeys, ...pyramidStoreKeys } },
  { title: "Logs", keys: { ...loggingKeys, ...latestKeys } },
  { title: "Timings", keys: timingKeys },
];
