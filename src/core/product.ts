/** Vitrine's own version; a test holds it to package.json. */
export const productVersion = "0.1.0";
