import { expect, test } from "bun:test";
import corpus from "../corpora/prompt_injection.json" with { type: "json" };
import { startGatewayProgram } from "../support/gateway-program.ts";
import { socketTurns } from "../support/socket-turns.ts";

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
