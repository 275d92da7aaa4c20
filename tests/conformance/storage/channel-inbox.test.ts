import { expect, test } from "bun:test";
import { tables } from "../../../src/services/daemon/tables.ts";
import { FakeClock, settle } from "../../support/fake-clock.ts";
import { textMessage } from "../../support/message-provider.ts";
import { stageMessenger } from "../../support/staged-messenger.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

const startAt = "2025-10-09T08:53:30.000Z";

const many = (from: string, ids: readonly string[]) => ids.map((id) => textMessage(id, id, { from }));
const tooMany = "You are writing faster than I can answer. Please wait a moment, then write again.";

onEachEngine("the daemon's channel", (engine) => {
  const open = () => engine.open({ tables, service: "daemon" });

  test("keeps a message once, however parallel it comes, and answers it once the process serves", async () => {
    await using storage = await open();
    const clock = new FakeClock(startAt);
    await using staged = stageMessenger(storage, clock);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => staged.deliver(many("521", ["a", "b"]))),
    );
    expect(answers.map(({ queued }) => queued)).toEqual(Array(20).fill(2));
    await clock.advance(60_000);
    expect(staged.asked).toEqual([]);
    staged.messenger.begin();
    while (staged.sent.length < 2) await settle();
    expect(staged.sent).toEqual([
      { to: "521", text: "Re: a" },
      { to: "521", text: "Re: b" },
    ]);
  });

  test("counts a sender's messages over all processes; the first beyond the limit gets a notice, the others nothing", async () => {
    await using storage = await open();
    const clock = new FakeClock(startAt);
    await using first = stageMessenger(storage, clock);
    await using second = stageMessenger(storage, clock);
    await first.deliver(many("521", ["a"]));
    await second.deliver(many("521", ["b", "c"]));
    await first.deliver(many("521", ["d", "e"]));
    await second.deliver(many("522", ["f"]));
    // What was delivered before doesn't count.
    for (let time = 0; time < 3; time++) await second.deliver(many("522", ["f"]));
    await second.deliver(many("522", ["g"]));
    first.messenger.begin();
    while (first.sent.length < 5) await settle();
    const textsTo = (sender: string) =>
      first.sent.flatMap(({ to, text }) => (to === sender ? [text] : [])).toSorted();
    expect(textsTo("521")).toEqual(["Re: a", "Re: b", tooMany]);
    expect(textsTo("522")).toEqual(["Re: f", "Re: g"]);
    // A window begins with a message.
    await clock.advance(60_000);
    await first.deliver(many("521", ["h"]));
    while (first.sent.length < 6) await settle();
    expect(first.sent.at(-1)).toEqual({ to: "521", text: "Re: h" });
  });

  test("forgets what was kept for its time", async () => {
    await using storage = await open();
    const clock = new FakeClock(startAt);
    const dayMs = 24 * 3_600_000;
    await using staged = stageMessenger(storage, clock);
    staged.messenger.begin();
    await staged.deliver(many("521", ["a"]));
    while ((await staged.messenger.state()).open > 0) await settle();
    const { inbound, outbox } = storage.tables;
    const [kept] = await storage.read.select().from(inbound);
    expect(kept?.event as object).toEqual({ type: "forgotten" });
    expect((await storage.read.select().from(outbox)).map(({ payload }) => payload)).toEqual([{}]);
    await storage.transact((tx) =>
      tx.update(inbound).set({ receivedAt: new Date(clock.now().getTime() - 31 * dayMs) }),
    );
    await clock.advance(3_600_000);
    while ((await storage.read.select().from(inbound)).length > 0) await settle();
  });
});
