import { expect, it, vi } from "vitest";
import { createS3Clients } from "./s3-clients.ts";

const service = {
  endpoint: "http://127.0.0.1:1",
  region: "",
  accessKeyId: "a",
  secretKey: "b",
  purpose: "S3Source",
};

it("closes clients of unused services and credentials, the oldest first", async () => {
  const clients = createS3Clients(() => ({}));
  const of = (secretKey: string) => clients.of({ ...service, secretKey });
  const first = await of("first");
  const second = await of("second");
  const [closedFirst, closedSecond] = [first, second].map(({ client }) =>
    vi.spyOn(client.client, "destroy"),
  );
  expect(first.id).not.toBe(second.id);
  // 64 are in use; as many more may finish their requests.
  for (let n = 0; n < 127; n++) await of(`other ${n}`);
  await vi.waitFor(() => expect(closedFirst).toHaveBeenCalledTimes(1));
  expect(closedSecond).not.toHaveBeenCalled();
  expect(await of("first")).not.toBe(first);
  await clients.close();
  expect(closedSecond).toHaveBeenCalledTimes(1);
  expect(closedFirst).toHaveBeenCalledTimes(1);
});
