import type { AnswerCheck, DelegateMethod } from "../core/delegate.ts";
import {
  decision,
  informationKeys,
  metaIdentifier,
  metaIdentifierText,
  sourceName,
  textOrNone,
} from "./answers.ts";
import { httpResource, s3Object } from "./lookups.ts";
import { metadata } from "./metadata.ts";
import { overlay } from "./overlay.ts";
import { redactions } from "./redactions.ts";

/** How the results of a method are validated. */
export const checkOf = (method: DelegateMethod): AnswerCheck<unknown> => checks[method];

const text: AnswerCheck<string> = {
  expected: "a text that is not empty",
  read: (answer) => (typeof answer === "string" && answer !== "" ? answer : undefined),
};

const checks: Readonly<Record<DelegateMethod, AnswerCheck<unknown>>> = {
  deserialize_meta_identifier: metaIdentifier,
  serialize_meta_identifier: metaIdentifierText,
  pre_authorize: decision,
  authorize: decision,
  extra_iiif2_information_response_keys: informationKeys,
  extra_iiif3_information_response_keys: informationKeys,
  source: sourceName,
  filesystemsource_pathname: textOrNone,
  httpsource_resource_info: httpResource,
  s3source_object_info: s3Object,
  azurestoragesource_blob_key: textOrNone,
  jdbcsource_database_identifier: textOrNone,
  jdbcsource_last_modified: textOrNone,
  jdbcsource_media_type: textOrNone,
  jdbcsource_lookup_sql: text,
  overlay,
  redactions,
  metadata,
};
