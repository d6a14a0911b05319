/** The pyramid of a page cannot be made, and an early retry would fail, too. */
export class PyramidRefused extends Error {
  override readonly name = "PyramidRefused";
}

/** The process that made a pyramid ended unexpectedly: it was killed, or crashed. */
export class ConverterLost extends Error {
  override readonly name = "ConverterLost";
}
