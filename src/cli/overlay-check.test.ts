import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../test/temporary-folder.ts";
import { checkOverlay } from "./overlay-check.ts";

test("the check of a configuration names watermarks that are unavailable", async () => {
  const folder = await temporaryFolder({
    "vitrine.properties": [
      "access.rules.3.action = allow",
      "access.rules.3.watermark = text: © Archive",
      "access.rules.7.action = allow",
      "access.rules.7.watermark = none.png",
    ].join("\n"),
  });
  const problems = await checkOverlay(join(folder, "vitrine.properties"), {});
  expect(problems).toEqual([
    {
      severity: "warning",
      key: "access.rules.7.watermark",
      message: expect.stringContaining("images of this rule cannot be served"),
    },
  ]);
});
