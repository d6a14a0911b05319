/** Maximum bytes of a block: no encoder makes more of 4,096 coefficients. */
export const maxBlockBytes = 131_072;
