import { expect, test } from "bun:test";
import { outboxWorker } from "../../../src/channels/outbox/outbox-worker.ts";
import type { GatewayEvent } from "../../../src/contracts/gateway/events.ts";
import { openAccount } from "../../../src/services/gateway/accounts/credentials.ts";
import type { AccountRow } from "../../../src/services/gateway/accounts/store.ts";
import { noticeWatcher } from "../../../src/services/gateway/events/notice-watcher.ts";
import { answered } from "../../support/gateway.ts";
import { startDesk } from "../../support/gateway-desk.ts";
import { socketTurns } from "../../support/socket-turns.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

type Desk = Awaited<ReturnType<typeof startDesk>>;

/** Sends what waits in the outbox; returns what the platform was told meanwhile. */
async function told({ gateway, client }: Desk) {
  const { deps, notices } = gateway;
  notices.length = 0;
  const stopping = new AbortController();
  const worker = outboxWorker({
    ...deps,
    openAccount: (account) => openAccount(deps.sealer, account as AccountRow),
  });
  const running = worker.run(stopping.signal);
  const isOpen = async () => {
    const open = [await client.listOutbox(), await client.listOutbox({ source: "desk_notice" })];
    return open.some(({ entries }) =>
      entries.some(({ status }) => status === "pending" || status === "sending"),
    );
  };
  while (await isOpen()) {
    deps.bell.ring();
    await gateway.clock.advance(2_000);
    await socketTurns(2);
  }
  stopping.abort();
  await running;
  return [...notices];
}

onEachEngine("notices of the desk", (engine) => {
  test("tell webhooks once that a conversation needs a person, that its user wrote to the assignee, and of mentions", async () => {
    const desk = await startDesk(engine);
    const { gateway, as, write, only, client } = desk;
    await using _ = gateway;
    gateway.platform.answers = () =>
      answered("A colleague will look.", { route: { takeover: { reason: "refund" } } });
    await write("+34600000001", "refund me");
    await write("+34600000001", "please");
    const { id } = await only();
    const of = { conversation_id: id, channel: "phone_messenger", apiKey: "apk_test-key-0001" };
    expect(await told(desk)).toMatchObject([{ event: "desk.needs_person", reason: "refund", ...of }]);
    gateway.platform.answers = () => answered("");
    await client.assign(id, "Ana García");
    await as("Ana García").markSeen(id);
    await write("+34600000001", "hello?");
    await write("+34600000001", "anybody?");
    expect(await told(desk)).toMatchObject([{ event: "desk.message", people: ["Ana García"], ...of }]);
    await as("Ana García").send({ tenant_id: "a", conversation_ref: id, text: "Yes" });
    await write("+34600000001", "fine");
    expect(await told(desk)).toMatchObject([{ event: "desk.message", people: ["Ana García"] }]);
    await as("Bob").addNote(id, 'Ask @Eva and @"Ana García", not x@y.example');
    await as("Bob").addNote(id, "nobody");
    expect(await told(desk)).toMatchObject([
      { event: "desk.mention", people: ["Eva", "Ana García"], by: "Bob" },
    ]);
    // Lists of messages and figures have none of them.
    expect((await client.listOutbox()).entries.map(({ source }) => source)).not.toContain("desk_notice");
    expect((await client.listOutbox({ source: "desk_notice" })).total).toBe(4);
    expect(gateway.provider.sent.every(({ text }) => text !== undefined)).toBe(true);
  });

  test("reach the desk's open pages, each under one id, and none of another tenant's", async () => {
    const desk = await startDesk(engine);
    const { gateway, as, write, only, client, memberAs } = desk;
    await using _ = gateway;
    gateway.platform.answers = () => answered("");
    await write("+34600000001", "before the page was opened");
    const { id } = await only();
    await client.assign(id, "Ana");
    const seen = async (stream: AsyncGenerator<GatewayEvent>, count: number) => {
      const notices: GatewayEvent[] = [];
      for await (const event of stream) {
        if (event.about === "notice") notices.push(event);
        if (notices.length === count) return notices;
      }
      return notices;
    };
    const [own, other] = [memberAs("a", "desk", "Ana").events(), memberAs("b", "desk", "Bea").events()];
    await own.next();
    await other.next();
    const stopping = new AbortController();
    const watching = noticeWatcher(gateway.deps).run(stopping.signal);
    const look = async () => {
      await gateway.clock.advance(1_000);
      await socketTurns(5);
    };
    await look();
    await write("+34600000001", "hello");
    await as("Bob").addNote(id, "Look, @Ana");
    gateway.platform.answers = () => answered("", { route: { takeover: true } });
    await write("+34600000001", "help");
    await look();
    await look();
    const notices = await seen(own, 4);
    expect(notices.map(({ change, people }) => [change, people]).sort()).toEqual([
      ["mention", ["Ana"]],
      ["message", ["Ana"]],
      ["message", ["Ana"]],
      ["needs_person", []],
    ]);
    expect(new Set(notices.map((notice) => notice.id)).size).toBe(4);
    expect(notices.every((notice) => notice.conversation_id === id)).toBe(true);
    gateway.deps.feed.publish({ about: "account", change: "saved", tenant_id: "b" });
    expect((await other.next()).value).toMatchObject({ about: "account" });
    stopping.abort();
    await watching;
    await own.return(undefined);
    await other.return(undefined);
  });
});
