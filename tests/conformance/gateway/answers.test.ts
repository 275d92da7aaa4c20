import { describe, expect, test } from "bun:test";
import { claimMessages } from "../../../src/channels/outbox/claim-messages.ts";
import { step } from "../../../src/channels/outbox/outbox-step.ts";
import { settleMessages, stateOf } from "../../../src/channels/outbox/settle-messages.ts";
import { traceParentOf } from "../../../src/kit/trace-parent.ts";
import {
  answered,
  asAdmin,
  deliver,
  processAll,
  startGateway,
  type TestGateway,
} from "../../support/gateway.ts";
import { onEachEngine, sqliteEngine, type TestEngine } from "../../support/storage-engines.ts";

/** A gateway with an echo account that the agent `support` answers. */
async function startBound(
  engine: TestEngine,
  binding: object = {},
  channel: "echo" | "bot_messenger" | "photo_social" = "echo",
): Promise<TestGateway & { accountId: string }> {
  const gateway = await startGateway(engine);
  const accountId = await gateway.account("a", channel, "e1");
  const { status, text } = await gateway.call("POST", "/admin/bindings", {
    headers: asAdmin,
    body: {
      tenant_id: "a",
      account_id: accountId,
      entry_agent: "support",
      fallback_message: "Sorry.",
      config: { platform_api_key: "apk_test-key-0001" },
      ...binding,
    },
  });
  if (status !== 201) throw new Error(text);
  return { ...gateway, accountId, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() };
}

const write = async (gateway: TestGateway, text: string, id: string = crypto.randomUUID(), from = "ana") => {
  const body = { from, text, id };
  expect((await deliver(gateway, "echo", body, { account: "e1", headers: {} })).status).toBe(200);
  await processAll(gateway);
};

const outboxOf = ({ deps: { storage } }: TestGateway) =>
  storage.read.select().from(storage.tables.outbox).orderBy(storage.tables.outbox.id);
const textsOf = async (gateway: TestGateway) => (await outboxOf(gateway)).map(({ payload }) => payload.text);
const inboundOf = ({ deps: { storage } }: TestGateway) =>
  storage.read.select().from(storage.tables.inbound).orderBy(storage.tables.inbound.id);
const conversationOf = async (gateway: TestGateway) =>
  (await gateway.call("GET", "/admin/conversations", { headers: asAdmin })).body.conversations[0];

onEachEngine("an answer that waits when a person takes over", (engine) => {
  test("fails, and the person's messages go; an operator may still send it", async () => {
    await using gateway = await startBound(engine);
    const post = (path: string, body?: object) =>
      gateway.call("POST", path, { headers: asAdmin, ...(body !== undefined && { body }) });
    gateway.platform.answers = () => answered("first[[+]]second");
    await write(gateway, "1", "m1");
    await write(gateway, "1", "m2", "eva");
    const { conversations } = (await gateway.call("GET", "/admin/conversations", { headers: asAdmin })).body;
    const { id } = conversations.find((one: { external_user: string }) => one.external_user === "ana");
    const { deps } = gateway;
    const { body: sent } = await post("/admin/send", {
      tenant_id: "a",
      conversation_ref: id,
      text: "A person",
    });
    const claim = {
      owner: "w",
      attemptId: "t",
      now: deps.clock.now(),
      limit: 1,
      leaseMs: 45_000,
      busy: [],
    };
    const [flying] = await claimMessages(deps, claim);
    const statuses = async () =>
      (await outboxOf(gateway)).map(({ recipient, payload, status, lastError, isReady }) =>
        [recipient, payload.text, status, lastError, isReady].join(),
      );
    expect(flying?.row).toMatchObject({ recipient: "ana", payload: { text: "first" } });
    using reader = deps.feed.read();
    expect((await post(`/admin/conversations/${id}/takeover`)).body).toMatchObject({ mode: "human" });
    expect(await statuses()).toEqual([
      "ana,first,sending,,false",
      "ana,second,failed,taken_over,false",
      "eva,first,pending,,true",
      "eva,second,pending,,false",
      "ana,A person,pending,,false",
    ]);
    const [, second] = await outboxOf(gateway);
    const about = { tenant_id: "a", account_id: gateway.accountId, channel: "echo", conversation_id: id };
    expect(await reader.next(new AbortController().signal)).toMatchObject([
      { about: "outbound", change: "failed", message_id: second?.id, ...about },
      { about: "conversation", change: "mode", ...about },
    ]);
    const { body } = await gateway.call("GET", `/admin/messages/${second?.id}/trail`, { headers: asAdmin });
    const trail = body.messages.find((one: { message_id: string }) => one.message_id === second?.id);
    expect(trail.events).toMatchObject([
      { event: "queued" },
      { event: "failed", details: { error: "taken_over" } },
    ]);
    // Again, nothing more fails.
    await post(`/admin/conversations/${id}/takeover`);
    const result = { type: "result", result: { action: "sent" }, hasReceipts: false, spread: 0.5 } as const;
    if (flying === undefined) throw new Error("Nothing was claimed.");
    const transition = step(stateOf(flying.row), result, deps.clock.now());
    await settleMessages(deps, [{ row: flying.row, transition }], deps.clock.now());
    expect((await statuses()).at(-1)).toBe("ana,A person,pending,,true");
    expect((await post(`/admin/outbox/${second?.id}/retry`)).body).toMatchObject({ status: "pending" });
    expect(sent.message_id).toBeString();
  });

  test("lets a person's message that waited behind it go", async () => {
    await using gateway = await startBound(engine);
    await write(gateway, "1");
    const { id } = await conversationOf(gateway);
    const body = { tenant_id: "a", conversation_ref: id, text: "A person" };
    await gateway.call("POST", "/admin/send", { headers: asAdmin, body });
    await gateway.call("POST", `/admin/conversations/${id}/takeover`, { headers: asAdmin });
    expect((await outboxOf(gateway)).map(({ status, isReady }) => [status, isReady])).toEqual([
      ["failed", false],
      ["pending", true],
    ]);
  });
});

onEachEngine("an answer", (engine) => {
  test("comes from a run under the message's key, with the decided context", async () => {
    await using gateway = await startBound(engine);
    await write(gateway, "hola", "m1");
    const [row] = await inboundOf(gateway);
    const conversation = await conversationOf(gateway);
    expect(gateway.platform.runs).toEqual([
      {
        agent: "support",
        apiKey: "apk_test-key-0001",
        idempotencyKey: `echo:${row?.id}`,
        traceparent: traceParentOf(row?.id ?? ""),
        request: {
          query: "hola",
          session_id: `echo__${gateway.accountId}__ana`,
          context: {
            channel: "echo",
            sender: "ana",
            message_id: "m1",
            is_new_conversation: true,
            received_at: "2026-03-10T12:00:00.000Z",
          },
        },
      },
    ]);
    expect(await outboxOf(gateway)).toMatchObject([
      { source: "agent_reply", recipient: "ana", payload: { text: "HOLA" }, conversationId: conversation.id },
    ]);
    expect(conversation).toMatchObject({ agent_name: "support", mode: "bot", external_user: "ana" });
    await write(gateway, "again");
    expect(gateway.platform.runs[1]?.request.context?.is_new_conversation).toBe(false);
  });

  test("is given once, though two processes have the event, and a late one changes nothing", async () => {
    await using gateway = await startBound(engine);
    const other = { ...gateway, deps: { ...gateway.deps, owner: "01900000-0000-7000-8000-000000000001" } };
    for (const id of ["1", "2", "3", "4"]) {
      await deliver(gateway, "echo", { from: `u${id}`, text: id, id }, { account: "e1", headers: {} });
    }
    await Promise.all([processAll(gateway), processAll(other)]);
    expect((await textsOf(gateway)).sort()).toEqual(["1", "2", "3", "4"]);
    expect(gateway.platform.runs).toHaveLength(4);
  });

  test("of one conversation keeps the order of the messages, by the provider's time", async () => {
    await using gateway = await startBound(engine);
    for (const id of ["1", "2", "3"]) {
      await deliver(gateway, "echo", { from: "ana", text: id, id }, { account: "e1", headers: {} });
      await gateway.clock.advance(1);
    }
    await processAll(gateway);
    expect(await textsOf(gateway)).toEqual(["1", "2", "3"]);
  });
});

describe("an answer", () => {
  test("is divided at [[+]] into at most five messages, 1.5 s apart", async () => {
    await using gateway = await startBound(sqliteEngine);
    gateway.platform.answers = () => answered("a[[+]] b [[+]][[+]]c[[+]]d[[+]]e[[+]]f[[+]]g");
    await write(gateway, "x");
    const rows = await outboxOf(gateway);
    expect(rows.map(({ payload }) => payload.text)).toEqual(["a", "b", "c", "d", "e\nf\ng"]);
    expect(rows.map(({ dueAt }) => dueAt.getTime() - (rows[0]?.dueAt.getTime() ?? 0))).toEqual([
      0, 1500, 3000, 4500, 6000,
    ]);
  });

  test("routes the conversation: a handoff serves from the next message, false leaves it new", async () => {
    await using gateway = await startBound(sqliteEngine);
    const route = (route: object) => {
      gateway.platform.answers = () => answered("ok", { route });
    };
    route({ start_session: false });
    await write(gateway, "1");
    expect((await conversationOf(gateway)).agent_name).toBeNull();
    route({ handoff_agent: "sales" });
    await write(gateway, "2");
    await write(gateway, "3");
    expect(
      gateway.platform.runs.map(({ agent, request }) => [agent, request.context?.is_new_conversation]),
    ).toEqual([
      ["support", true],
      ["support", true],
      ["sales", false],
    ]);
    gateway.platform.answers = ({ agent }) =>
      agent === "sales" ? { kind: "refused", status: 404, code: "not_found" } : answered("back");
    await write(gateway, "4");
    await write(gateway, "5");
    expect(gateway.platform.runs.slice(3).map(({ agent }) => agent)).toEqual(["support", "support"]);
    expect(gateway.platform.calls.filter(({ agent }) => agent === "sales")).toHaveLength(2);
  });

  const failures: [answer: Parameters<typeof refused>, calls: number][] = [
    [[401], 1],
    [[404], 1],
    [[422], 1],
    [[502], 1],
    [[504], 1],
    [[429, 200_000], 1],
  ];
  test.each(failures)("of a run that ends with %j is the fallback at once", async (answer, calls) => {
    await using gateway = await startBound(sqliteEngine);
    gateway.platform.answers = () => refused(...answer);
    await write(gateway, "x");
    expect(await textsOf(gateway)).toEqual(["Sorry."]);
    expect(gateway.platform.calls).toHaveLength(calls);
  });

  test("of a run whose process died is the fallback at once: its key is 503 and never gives another answer", async () => {
    await using gateway = await startBound(sqliteEngine);
    gateway.platform.answers = () => ({
      kind: "refused",
      status: 503,
      code: "interrupted",
      retryAfterMs: 1_000,
    });
    await write(gateway, "x");
    expect(await textsOf(gateway)).toEqual(["Sorry."]);
    expect(gateway.platform.calls).toHaveLength(1);
  });

  test("of a platform that is away is tried for two minutes, and asked for under the same key", async () => {
    await using gateway = await startBound(sqliteEngine);
    gateway.platform.answers = (_, call) => (call < 4 ? { kind: "unreachable" } : answered("here"));
    await write(gateway, "x");
    for (let round = 0; round < 5; round++) {
      await gateway.clock.advance(10_000);
      await processAll(gateway);
    }
    expect(await textsOf(gateway)).toEqual(["here"]);
    expect(new Set(gateway.platform.calls.map((call) => JSON.stringify(call))).size).toBe(1);
    gateway.platform.answers = () => refused(503);
    await write(gateway, "y");
    for (let round = 0; round < 15; round++) {
      await gateway.clock.advance(15_000);
      await processAll(gateway);
    }
    expect(await textsOf(gateway)).toEqual(["here", "Sorry."]);
  });

  test("of a platform with too many requests is asked for three times", async () => {
    await using gateway = await startBound(sqliteEngine);
    gateway.platform.answers = () => refused(429, 5_000);
    await write(gateway, "x");
    for (let round = 0; round < 4; round++) {
      await gateway.clock.advance(6_000);
      await processAll(gateway);
    }
    expect(gateway.platform.calls).toHaveLength(3);
    expect(await textsOf(gateway)).toEqual(["Sorry."]);
  });

  test("is not given to a conversation that a person holds, also if they take it during the run", async () => {
    await using gateway = await startBound(sqliteEngine);
    await write(gateway, "1");
    const { id } = await conversationOf(gateway);
    const post = (verb: string) =>
      gateway.call("POST", `/admin/conversations/${id}/${verb}`, { headers: asAdmin });
    await post("takeover");
    await write(gateway, "2");
    expect(gateway.platform.runs).toHaveLength(1);
    await post("release");
    gateway.platform.answers = async () => {
      await post("takeover");
      return answered("too late");
    };
    await write(gateway, "3");
    expect(await textsOf(gateway)).toEqual(["1"]);
    expect((await inboundOf(gateway)).map(({ outcome }) => outcome)).toEqual(["answered", "human", "human"]);
  });

  test("is given twenty times a minute at most", async () => {
    await using gateway = await startBound(sqliteEngine);
    for (let count = 0; count < 22; count++) await write(gateway, String(count));
    expect(await textsOf(gateway)).toHaveLength(20);
    await gateway.clock.advance(60_001);
    await write(gateway, "later");
    expect(await textsOf(gateway)).toHaveLength(21);
  });

  test("of a message that fails five times is the fallback, the next message is answered, and an operator may retry it", async () => {
    await using gateway = await startBound(sqliteEngine);
    gateway.platform.answers = ({ request }) => {
      if (request.query === "poison") throw new Error("broken");
      return answered("fine");
    };
    await write(gateway, "poison");
    await deliver(gateway, "echo", { from: "ana", text: "next", id: "n" }, { account: "e1", headers: {} });
    for (let round = 0; round < 5; round++) {
      await gateway.clock.advance(80_000);
      await processAll(gateway);
    }
    expect(await textsOf(gateway)).toEqual(["Sorry.", "fine"]);
    const [parked, done] = await inboundOf(gateway);
    expect([parked?.state, done?.state]).toEqual(["parked", "done"]);
    const admin = async (method: string, path: string) =>
      gateway.call(method, `/admin/inbound${path}`, { headers: asAdmin });
    const { body } = await admin("GET", "");
    expect(body).toMatchObject({
      total: 1,
      events: [{ event_id: parked?.id, tenant_id: "a", failed_tries: 5 }],
    });
    expect((await admin("GET", "?tenant=b")).body.total).toBe(0);
    gateway.platform.answers = () => answered("mended");
    expect(await admin("POST", `/${parked?.id}/retry`)).toMatchObject({
      status: 200,
      body: { state: "waiting" },
    });
    await processAll(gateway);
    expect(await textsOf(gateway)).toEqual(["Sorry.", "fine", "mended"]);
    // Neither an event that is done nor an unknown one.
    expect(await admin("POST", `/${parked?.id}/retry`)).toMatchObject({ status: 409 });
    expect((await admin("POST", `/${done?.id}/retry`)).status).toBe(409);
    expect((await admin("POST", "/nothing/retry")).status).toBe(404);
    expect((await admin("GET", "")).body.total).toBe(0);
    const { messages } = (
      await gateway.call("GET", `/admin/messages/${parked?.id}/trail`, { headers: asAdmin })
    ).body;
    const trail = messages.find(({ message_id }: { message_id: string }) => message_id === parked?.id);
    const events = trail.events.map(({ event }: { event: string }) => event);
    expect(events.slice(events.indexOf("parked"))).toEqual([
      "parked",
      "retried",
      "run",
      "answered",
      "closed",
    ]);
  });

  test("sees images, and other files are named", async () => {
    await using gateway = await startBound(sqliteEngine, {}, "photo_social");
    const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1]);
    gateway.files.set("https://x.example/p", { bytes: png, mimeType: "text/html" });
    const attachments = [
      { type: "image", payload: { url: "https://x.example/p" } },
      { type: "audio", payload: { url: "https://x.example/a" } },
    ];
    const message = {
      sender: { id: "S" },
      recipient: { id: "e1" },
      timestamp: gateway.clock.now().getTime(),
    };
    await deliver(gateway, "photo_social", {
      object: "instagram",
      entry: [{ id: "e1", time: 1, messaging: [{ ...message, message: { mid: "m", attachments } }] }],
    });
    await processAll(gateway);
    const { request } = gateway.platform.runs[0] ?? {};
    expect(request?.images).toEqual([{ media_type: "image/png", data: Buffer.from(png).toString("base64") }]);
    expect(request?.query).toContain("[audio]");
    expect(request?.context?.media).toMatchObject([{ kind: "image" }, { kind: "audio" }]);
  });

  test("of the emulator and the web chat goes the same way", async () => {
    await using gateway = await startGateway(sqliteEngine);
    const emulated = await gateway.call("POST", "/admin/accounts", {
      headers: asAdmin,
      body: {
        tenant_id: "a",
        channel: "phone_messenger",
        external_id: "PN1",
        credentials: { access_token: "EAAG-access-token" },
        emulated: true,
      },
    });
    const web = await gateway.account("a", "webchat", "site");
    for (const id of [emulated.body.id, web]) {
      await gateway.call("POST", "/admin/bindings", {
        headers: asAdmin,
        body: {
          tenant_id: "a",
          account_id: id,
          entry_agent: "support",
          config: { platform_api_key: "apk_test-key-0001" },
        },
      });
    }
    const inbound = (body: object) =>
      gateway.call("POST", "/admin/emulator/inbound", { headers: asAdmin, body });
    const sent = await inbound({ desde: "5215550001111", texto: "hola", nombre: "Ana" });
    expect([sent.status, sent.body]).toEqual([
      202,
      { encolado: true, channel_message_id: expect.any(String) },
    ]);
    expect((await inbound({ desde: "1", texto: "x", cuenta: "other" })).status).toBe(404);
    expect((await inbound({ texto: "x" })).status).toBe(400);
    const chat = { cuenta: "site", visitante: "v1", texto: "hi" };
    expect(
      (await gateway.call("POST", "/admin/webchat/inbound", { headers: asAdmin, body: chat })).status,
    ).toBe(202);
    await processAll(gateway);
    expect((await textsOf(gateway)).sort()).toEqual(["HI", "HOLA"]);
  });
});

const refused = (status: number, retryAfterMs?: number) =>
  ({ kind: "refused", status, code: `code_${status}`, retryAfterMs }) as const;
