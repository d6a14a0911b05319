import { openPyramids } from "./pyramid-server.ts";

/** A process that makes the pyramids of an image, to be killed meanwhile. */
const [root = "", images = "", identifier = ""] = process.argv.slice(2);
const pyramids = openPyramids({ root, images });
await pyramids.make(identifier, {}, new AbortController().signal);
await pyramids.close();
