import { expect, test } from "bun:test";
import { startProviderWorld } from "../../../support/gateway-providers.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("a message beyond the provider's rate", (engine) => {
  test("waits in the queue, uncounted, and goes when the rate allows it", async () => {
    await using world = await startProviderWorld(engine);
    await world.account("bot_messenger");
    const send = (recipient: string, text: string) =>
      world.send({ channel: "bot_messenger", recipient, text });
    const sent = () => world.provider.accepted.map(({ text }) => text);
    // A group takes twenty at once, and then one in three seconds.
    const texts = Array.from({ length: 20 }, (_, number) => `message ${number}`);
    for (const text of texts) await send("-100200", text);
    const late = await send("-100200", "late");
    await world.quiet();
    expect(sent()).toEqual(texts);
    const waiting = await world.entry(late);
    expect(waiting).toMatchObject({ status: "pending", attempts: 0, last_error: null });
    const at = world.gateway.clock.now().getTime();
    expect(Date.parse(waiting.next_retry_at ?? "") - at).toBe(3_000);
    // Another chat of the same bot goes on.
    await send("7", "to another");
    await world.quiet();
    expect(sent().at(-1)).toBe("to another");
    await world.pass(2_999);
    expect(sent()).toHaveLength(21);
    await world.pass(1);
    expect(sent().at(-1)).toBe("late");
    expect(await world.entry(late)).toMatchObject({ status: "sent", attempts: 0 });
  });
});
