/** Echoes messages, and exits when told to. */
process.on("message", (message) => {
  if (message === "leave") process.exit(3);
  process.send?.(message);
});

process.send?.({
  given: process.argv.slice(2),
  token: process.env["TOKEN"],
  language: process.env["LANG"],
});
