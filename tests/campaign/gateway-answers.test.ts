import { expect, test } from "bun:test";
import { startGatewayProgram } from "../support/gateway-program.ts";
import { socketTurns } from "../support/socket-turns.ts";

test("kill -9 at random points: each acknowledged message is answered exactly once", async () => {
  await using gateway = await startGatewayProgram(() => ({ text: "Hello." }));
  await gateway.setUp({});
  const acknowledged: string[] = [];
  let number = 0;
  for (let round = 0; round < 4; round++) {
    const some = Array.from({ length: 12 }, async () => {
      const from = `52155500${String(10_000 + number++)}`;
      // A provider delivers again until it gets a 200.
      if ((await gateway.deliver(`wamid.${from}`, from, "hi")) === 200) acknowledged.push(from);
    });
    await Promise.race(some);
    await socketTurns(round * 6);
    await gateway.crash();
    await Promise.allSettled(some);
  }
  expect(acknowledged.length).toBeGreaterThan(0);
  const queued = async () => {
    const page = (await gateway.admin("/admin/outbox?limit=200")) as {
      entries: { recipient: string; source: string }[];
    };
    return page.entries.filter(({ source }) => source === "agent_reply").map(({ recipient }) => recipient);
  };
  let replies: string[] = [];
  while (!acknowledged.every((from) => replies.includes(from))) {
    await socketTurns(20);
    replies = await queued();
  }
  expect(replies.length).toBe(new Set(replies).size);
}, 240_000);
