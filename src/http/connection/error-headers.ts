/** Error answers are never kept. */
export const errorCacheControl = "no-cache, must-revalidate";
