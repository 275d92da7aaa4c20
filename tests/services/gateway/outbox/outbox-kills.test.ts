import { expect, test } from "bun:test";
import { killOutbox } from "../../../../scripts/bench/campaign/outbox-lives.ts";

test("kill -9 while it sends: nothing is lost, and nothing is sent again that a receipt told of", async () => {
  const losses = await killOutbox({ kills: 6, messages: 150, speed: 30, lifeMs: 150, seed: 7 });
  expect(losses).toMatchObject({ kills: 6, lost: 0, resent: 0, unsent: 0 });
}, 180_000);
