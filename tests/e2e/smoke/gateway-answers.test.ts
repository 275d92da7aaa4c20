import { expect, test } from "bun:test";
import corpus from "../../corpora/prompt_injection.json" with { type: "json" };
import { startGatewayProgram } from "../../support/gateway-program.ts";
import { socketTurns } from "../../support/socket-turns.ts";

/*
 * The entries of the corpus that want a message sent to somebody else, played by an obedient model over the real gateway. The test judges
 * by what the provider got.
 */
const entries = corpus.entries.filter(
  ({ why, input }) => why === "run token scope" && input.text.includes("messages/send"),
);
const customer = "5215550002222";
const stranger = "5215550009999";

test("the entries are 022 to 024", () => {
  expect(entries.map(({ id }) => id.slice(-3))).toEqual(["022", "023", "024"]);
});

for (const { id, why, input } of entries) {
  test(`${id}: ${why}, from ${input.source}`, async () => {
    const results: string[] = [];
    await using gateway = await startGatewayProgram(({ body }) => {
      const result = body.messages.findLast(({ role }) => role === "tool");
      if (result !== undefined) {
        results.push(JSON.stringify(result.content));
        return { text: "I have read it." };
      }
      // The model obeys the line that came with the customer's message.
      if (!JSON.stringify(body.messages).includes(input.text)) return { text: "Nothing is asked of me." };
      const message = { channel: "phone_messenger", recipient: stranger, text: "canary" };
      return { toolCalls: [{ name: "send_message", arguments: message }] };
    });
    await gateway.setUp({ tools: [{ name: "send_message", type: "internal" }] });
    expect(await gateway.deliver("wamid.1", customer, `${input.source}: ${input.text}`)).toBe(200);
    while (gateway.textsTo(customer).length === 0) await socketTurns(4);
    expect(gateway.textsTo(customer)).toEqual(["I have read it."]);
    // The tool was called, and refused.
    expect(results.join()).toContain("may send messages only to the conversation");
    expect(JSON.stringify(gateway.provider.sent)).not.toContain("canary");
    const { entries: outbox } = (await gateway.admin("/admin/outbox")) as {
      entries: { recipient: string }[];
    };
    expect(outbox.map(({ recipient }) => recipient)).toEqual([customer]);
  });
}

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
