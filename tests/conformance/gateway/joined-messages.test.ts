import { expect, test } from "bun:test";
import type { BindingConfigInput } from "../../../src/contracts/gateway/bindings.ts";
import type { ChannelName } from "../../../src/contracts/gateway/channels.ts";
import {
  answered,
  asAdmin,
  deliver,
  processAll,
  startGateway,
  type TestGateway,
} from "../../support/gateway.ts";
import { deliveryOf, textMessage } from "../../support/message-provider.ts";
import { onEachEngine, sqliteEngine, type TestEngine } from "../../support/storage-engines.ts";

async function startBound(
  engine: TestEngine,
  more: BindingConfigInput = {},
  channel: ChannelName = "phone_messenger",
): Promise<TestGateway> {
  const gateway = await startGateway(engine, undefined, "2025-10-09T08:53:30.000Z");
  const accountId = await gateway.account("a", channel, channel === "bot_messenger" ? "BOT1" : "PNID1");
  const config = { platform_api_key: "apk_test-key-0001", ...more };
  const body = { tenant_id: "a", account_id: accountId, entry_agent: "support", config };
  const { status, text } = await gateway.call("POST", "/admin/bindings", { headers: asAdmin, body });
  if (status !== 201) throw new Error(text);
  return gateway;
}

const send = async (gateway: TestGateway, ...messages: object[]) =>
  expect((await deliver(gateway, "phone_messenger", deliveryOf(messages))).status).toBe(200);

const photo = (id: string, caption?: string) => ({
  id,
  from: "5215550002222",
  timestamp: "1760000001",
  type: "image",
  image: { id: `media-${id}`, mime_type: "image/jpeg", ...(caption !== undefined && { caption }) },
});

/** Works on what is due now. */
const work = (gateway: TestGateway) => processAll(gateway, { waitsForAlbums: false });

const queries = ({ platform }: TestGateway) => platform.runs.map(({ request }) => request.query);
const messagesOf = async (gateway: TestGateway) => {
  const { tables, read } = gateway.deps.storage;
  const rows = await read.select().from(tables.conversationMessages).orderBy(tables.conversationMessages.at);
  return rows.map(({ direction, kind, text, untoldBy }) => [direction, kind, text, untoldBy]);
};

onEachEngine("messages that belong together", (engine) => {
  test("the photos of an album are one run, each a message of the conversation; the next album is another run", async () => {
    await using gateway = await startBound(engine);
    await send(gateway, photo("1", "my three rooms"));
    await work(gateway);
    expect(queries(gateway)).toEqual([]);
    await gateway.clock.advance(1_500);
    await send(gateway, photo("2"), photo("3"));
    await gateway.clock.advance(500);
    await work(gateway);
    expect(queries(gateway)).toEqual([]);
    await gateway.clock.advance(1_500);
    await work(gateway);
    expect(queries(gateway)).toEqual([
      "my three rooms\n[image: image/jpeg]\n[image: image/jpeg]\n[image: image/jpeg]",
    ]);
    expect((await messagesOf(gateway)).map(([direction, kind]) => `${direction} ${kind}`)).toEqual([
      "inbound image",
      "inbound image",
      "inbound image",
      "outbound text",
    ]);
    expect((await messagesOf(gateway)).map((message) => message.at(-1))).toEqual([null, null, null, null]);
    await send(gateway, photo("4"));
    await work(gateway);
    await gateway.clock.advance(2_000);
    await work(gateway);
    expect(queries(gateway)[1]).toBe("[image: image/jpeg]");
    expect(gateway.platform.runs[1]?.request.turns).toBeUndefined();
  });

  test("lines within collect_seconds are one run, counted from the last, and three times as long at most", async () => {
    await using gateway = await startBound(engine, { collect_seconds: 10 });
    for (const [index, text] of ["a", "b", "c", "d", "e"].entries()) {
      await send(gateway, textMessage(`wamid.${index}`, text));
      await work(gateway);
      await gateway.clock.advance(8_000);
    }
    // The last comes 32 s after the first: it is a run of its own.
    await work(gateway);
    expect(queries(gateway)).toEqual(["a\nb\nc\nd"]);
    await gateway.clock.advance(3_000);
    await work(gateway);
    expect(queries(gateway)).toEqual(["a\nb\nc\nd", "e"]);
  });

  test("are neither lost nor answered twice by processes that die while they wait or run", async () => {
    await using gateway = await startBound(engine, { collect_seconds: 5 });
    await send(gateway, textMessage("wamid.1", "a"));
    await work(gateway);
    await send(gateway, textMessage("wamid.2", "b"));
    await gateway.clock.advance(5_000);
    await work(gateway);
    const { inbound } = gateway.deps.storage.tables;
    // The first was not closed: its process died with the platform's answer.
    const run = gateway.platform.run;
    let died = 0;
    gateway.platform.run = async (order, signal) => {
      const answer = await run(order, signal);
      if (died++ === 0) throw new Error("The process dies here.");
      return answer;
    };
    await send(gateway, textMessage("wamid.3", "c"));
    for (const waitMs of [0, 5_000, 5_000, 60_000]) {
      await gateway.clock.advance(waitMs);
      await work(gateway);
    }
    expect(queries(gateway)).toEqual(["a\nb", "c"]);
    expect((await messagesOf(gateway)).map(([, , text]) => text)).toEqual(["a", "b", "A\nB", "c", "C"]);
    const rows = await gateway.deps.storage.read.select().from(inbound);
    expect(rows.map((row) => [row.state, row.outcome]).sort()).toEqual([
      ["done", "answered"],
      ["done", "answered"],
      ["done", "joined"],
    ]);
  });

  test("a pressed button ends the wait, and is answered by itself", async () => {
    await using gateway = await startBound(engine, { collect_seconds: 10 });
    const button = { type: "button", button: { text: "Yes", payload: "yes-7" } };
    await send(gateway, textMessage("wamid.1", "hello"), {
      id: "wamid.2",
      from: "5215550002222",
      timestamp: "1760000002",
      ...button,
    });
    await work(gateway);
    expect(queries(gateway)).toEqual(["hello", "Yes\n[payload: yes-7]"]);
  });

  test("a person who takes over gets them all, and after the release they are answered together", async () => {
    await using gateway = await startBound(engine, { collect_seconds: 5 });
    await send(gateway, textMessage("wamid.1", "a"));
    await work(gateway);
    await send(gateway, textMessage("wamid.2", "b"));
    await gateway.clock.advance(5_000);
    const [{ id }] = (await gateway.call("GET", "/admin/conversations", { headers: asAdmin })).body
      .conversations;
    gateway.platform.answers = async ({ request }) => {
      if (gateway.platform.runs.length === 0)
        await gateway.call("POST", `/admin/conversations/${id}/takeover`, { headers: asAdmin });
      return answered(request.query.toUpperCase());
    };
    await work(gateway);
    expect((await messagesOf(gateway)).map(([, , text]) => text)).toEqual(["a", "b"]);
    await gateway.call("POST", `/admin/conversations/${id}/release`, { headers: asAdmin });
    await work(gateway);
    expect((await messagesOf(gateway)).map(([, , text]) => text)).toEqual(["a", "b", "A\nB"]);
  });
});

test("collect_seconds is 0 to 30: anything else is 400, and without it a text is answered at once", async () => {
  await using gateway = await startBound(sqliteEngine);
  for (const seconds of [-1, 31, 1.5, "5"]) {
    const account = await gateway.account("a", "phone_messenger", `PN${seconds}`);
    const config = { platform_api_key: "apk_test-key-0001", collect_seconds: seconds };
    const body = { tenant_id: "a", account_id: account, entry_agent: "support", config };
    const { status } = await gateway.call("POST", "/admin/bindings", { headers: asAdmin, body });
    expect([seconds, status]).toEqual([seconds, 400]);
  }
  await send(gateway, textMessage("wamid.1", "a"));
  await work(gateway);
  expect(queries(gateway)).toEqual(["a"]);
});

test("an album of Telegram is known by its name: a photo alone is answered at once", async () => {
  await using gateway = await startBound(sqliteEngine, {}, "bot_messenger");
  const picture = (id: number, more: object = {}) => ({
    update_id: id,
    message: {
      message_id: id,
      date: 1760000000 + id,
      chat: { id: 7, type: "private" },
      from: { id: 7, is_bot: false, first_name: "Ana" },
      photo: [{ file_id: `f${id}`, file_unique_id: `u${id}`, width: 1, height: 1 }],
      ...more,
    },
  });
  const receive = (update: object) => deliver(gateway, "bot_messenger", update, { account: "BOT1" });
  await receive(picture(1));
  await work(gateway);
  expect(queries(gateway)).toHaveLength(1);
  await receive(picture(2, { media_group_id: "g1", caption: "both" }));
  await receive(picture(3, { media_group_id: "g1" }));
  await receive(picture(4, { media_group_id: "g2" }));
  await work(gateway);
  await gateway.clock.advance(2_000);
  await work(gateway);
  expect(queries(gateway).map((query) => query.split("\n").length)).toEqual([1, 3, 1]);
});
