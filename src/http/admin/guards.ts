/** Headers of all that the control panel answers. */
export const guardHeaders: Readonly<Record<string, string>> = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy":
    "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), serial=(), usb=()",
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
  "x-robots-tag": "noindex, nofollow",
};

/**
 * The Content-Security-Policy of the page: everything from this server, nothing inline, in nobody's
 * frame. Images under way may be blobs, and what is drawn may be data.
 */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** That of answers that are no pages. */
export const dataPolicy = "default-src 'none'; frame-ancestors 'none'";
