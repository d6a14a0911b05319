/** Error responses must not be cached. */
export const errorCacheControl = "no-cache, must-revalidate";
