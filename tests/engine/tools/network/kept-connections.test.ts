import { expect, test } from "bun:test";
import { FakeClock } from "../../../support/fake-clock.ts";
import { forgetfulServer } from "../../../support/forgetful-server.ts";
import { testNetwork, testRequest } from "../../../support/test-network.ts";

test("a POST takes the connection of the last one only while no server closes it as idle", async () => {
  using server = await forgetfulServer("{}", Number.POSITIVE_INFINITY);
  const clock = new FakeClock();
  const network = testNetwork({ clock });
  const post = () => network.request(testRequest(server.url, { method: "POST", body: "{}" }));
  for (const pauseMs of [0, 1_000, 500, 1_501, 0, 5_000]) {
    await clock.advance(pauseMs);
    expect((await post()).status).toBe(200);
  }
  expect(server.connections).toEqual([1, 1, 1, 2, 2, 3]);
});

test.each(["GET", "PUT", "DELETE"])("a %s is sent again if its connection is closed", async (method) => {
  using server = await forgetfulServer();
  const clock = new FakeClock();
  const network = testNetwork({ clock });
  const body = method === "PUT" ? { body: "{}" } : {};
  const ask = () => network.request(testRequest(server.url, { method, ...body }));
  for (let i = 0; i < 2; i++) {
    expect((await ask()).status).toBe(200);
    await clock.advance(5_000);
  }
  expect(server.connections).toEqual([1, 1, 2]);
});
