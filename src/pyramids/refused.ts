/** The pyramid of a page could not be made, and would not be made by trying again soon. */
export class PyramidRefused extends Error {
  override readonly name = "PyramidRefused";
}

/** The process that made a pyramid ended unexpectedly: it was killed, or crashed. */
export class ConverterLost extends Error {
  override readonly name = "ConverterLost";
}
