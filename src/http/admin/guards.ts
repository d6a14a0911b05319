/** Headers of every response of the control panel. */
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
 * The Content-Security-Policy of the page: everything from this server, nothing inline, no framing.
 * Images being loaded may be blob: URLs, and charts data: URLs.
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

/** The Content-Security-Policy of responses other than the page. */
export const dataPolicy = "default-src 'none'; frame-ancestors 'none'";
