/** The longest key that S3 and Azure take, in bytes of UTF-8 and in characters. */
const longest = 1_024;

/**
 * Whether a name can be that of an object in a bucket or container. Those with a part of one or two
 * dots are none: on the way to the service, a URL with them may become that of something outside of
 * the bucket.
 */
export const isObjectName = (name: string): boolean =>
  name !== "" &&
  !name.includes("\0") &&
  !/\p{Cs}/u.test(name) &&
  Buffer.byteLength(name) <= longest &&
  !name.split(/[/\\]/).some((part) => part === "." || part === "..");
