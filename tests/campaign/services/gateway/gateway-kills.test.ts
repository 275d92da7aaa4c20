import { expect, test } from "bun:test";
import { killGateways } from "../../../support/campaign/gateway-lives.ts";

test("kill -9 at work: nothing is lost or doubled, and nothing is sent again without a wait for its receipt", async () => {
  const losses = await killGateways({ kills: 6, gateways: 1, speed: 20, eventsBetween: 60, seed: 7 });
  const none = { lost: 0, doubled: 0, runTwice: 0, unsettled: 0, deaf: 0, unfinished: 0 };
  expect(losses).toMatchObject({ kills: 6, ...none });
  expect(losses.asked * losses.told).toBeGreaterThan(0);
});
