import { describe, expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import { enqueueMessage } from "../../../src/channels/outbox/enqueue-message.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { deliverMessage } from "../../../src/services/gateway/webchat/deliver-message.ts";
import { visitorLimits } from "../../../src/services/gateway/webchat/visitor-limits.ts";
import { asAdmin, processAll, startGateway, type TestGateway } from "../../support/gateway.ts";
import { onEachEngine, sqliteEngine } from "../../support/storage-engines.ts";
import { openSite, sitePage } from "../../support/webchat.ts";

/** A site with a visitor who said something, and whose answers the tests write. */
async function startChat(engine: Parameters<typeof startGateway>[0] = sqliteEngine) {
  const gateway = await startGateway(engine);
  const account = await openSite(gateway);
  const body = {
    tenant_id: "a",
    account_id: account,
    entry_agent: "support",
    config: { platform_api_key: "apk_a" },
  };
  expect((await gateway.call("POST", "/admin/bindings", { headers: asAdmin, body })).status).toBe(201);
  const page = sitePage(gateway.url);
  const token = await page.begin();
  const said = await page.say(token, "Hello");
  await processAll(gateway);
  const { outbox, webchatThreads } = gateway.deps.storage.tables;
  const [thread] = await gateway.deps.storage.read.select().from(webchatThreads);
  const visitor = thread?.visitor ?? "";
  // Only the answers that a test writes count.
  await gateway.deps.storage.transact((tx) => tx.delete(outbox).returning({ id: outbox.id }));
  return {
    gateway,
    page,
    token,
    account,
    said: said.body.mensaje.id as string,
    answer: (run: string | undefined) => answer(gateway, account, visitor, run),
    rate: (mensaje: string, calificacion: unknown, as = token) =>
      page.call("POST", "/ratings", { token: as, body: { mensaje, calificacion } }),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  };
}

/** Puts a message into the visitor's thread and the outbox, as a delivered one. */
async function answer(
  { deps: { webchat, ...deps } }: TestGateway,
  accountId: string,
  recipient: string,
  invocationId: string | undefined,
): Promise<string> {
  if (webchat === undefined) throw new Error("The web chat is off.");
  const id = deps.newId();
  const { tables } = deps.storage;
  const message = {
    id,
    tenantId: "a",
    channel: "webchat" as const,
    accountId,
    recipient,
    conversationId: null,
    source: "agent_reply" as const,
    payload: { text: "An answer." },
    invocationId,
  };
  await deps.storage.transact(async (tx) => {
    await enqueueMessage(tx, tables, message, deps.clock.now());
    await tx
      .update(tables.outbox)
      .set({ status: "sent", lane: null, channelMessageId: id, sentAt: deps.clock.now() })
      .where(eq(tables.outbox.id, id));
  });
  const order = { token: id, recipient, text: "An answer." };
  await deliverMessage({ ...deps, bell: webchat.bell }, { id: accountId, tenantId: "a" }, order);
  return id;
}

const verdicts = ({ verdicts: { kept } }: TestGateway) =>
  [...kept.values()].map(({ invocationId, given, apiKey }) => [
    invocationId,
    given?.rating,
    given?.channel,
    given?.emoji,
    apiKey,
  ]);

onEachEngine("a visitor's rating", (engine) => {
  test("becomes feedback on the run, changes and is withdrawn, and the thread shows it", async () => {
    await using chat = await startChat(engine);
    const { gateway, page, token, rate } = chat;
    const id = await chat.answer("run-1");
    const shown = async () =>
      (await page.read(token)).body.mensajes.find((message: { id: string }) => message.id === id);
    expect(await shown()).toMatchObject({ es_calificable: true });
    expect(await shown()).not.toHaveProperty("calificacion");
    const rated = await rate(id, "up");
    expect([rated.status, rated.body.mensaje.calificacion]).toEqual([200, "up"]);
    expect(await shown()).toMatchObject({ calificacion: "up" });
    await processAll(gateway);
    expect(verdicts(gateway)).toEqual([["run-1", "up", "webchat", "👍", "apk_a"]]);
    // All within one millisecond of the clock: the order is that of the calls.
    for (const rating of ["down", "up", "down"]) expect((await rate(id, rating)).status).toBe(200);
    await processAll(gateway);
    expect(verdicts(gateway)).toEqual([["run-1", "down", "webchat", "👎", "apk_a"]]);
    const withdrawn = await rate(id, null);
    expect([withdrawn.status, withdrawn.body.mensaje]).toEqual([
      200,
      expect.not.objectContaining({ calificacion: expect.anything() }),
    ]);
    await processAll(gateway);
    expect(verdicts(gateway)).toEqual([]);
    expect(await shown()).not.toHaveProperty("calificacion");
  });

  test("that is repeated starts nothing", async () => {
    await using chat = await startChat(engine);
    const { gateway, rate } = chat;
    const id = await chat.answer("run-1");
    const answers = await Promise.all(Array.from({ length: 6 }, () => rate(id, "up")));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(6).fill(200));
    expect((await rate(await chat.answer("run-2"), null)).status).toBe(200);
    await processAll(gateway);
    const { storage } = gateway.deps;
    const events = await storage.read.select().from(storage.tables.inbound);
    expect(events.filter(({ kind }) => kind === "reaction").map(({ outcome }) => outcome)).toEqual([
      "feedback",
    ]);
    expect(gateway.verdicts.orders).toHaveLength(1);
  });
});

describe("a rating is refused", () => {
  test("of another visitor's answer, of a person's message and of the visitor's own", async () => {
    await using chat = await startChat();
    const { gateway, page, rate } = chat;
    const [id, byHand] = [await chat.answer("run-1"), await chat.answer(undefined)];
    const stranger = await page.begin();
    const answers = [
      await rate(id, "down", stranger),
      await rate("missing", "down"),
      await rate(byHand, "down"),
      await rate(chat.said, "down"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 409, 409]);
    await processAll(gateway);
    expect(gateway.verdicts.orders).toEqual([]);
    const { read, tables } = gateway.deps.storage;
    expect(await read.select().from(tables.reactions)).toEqual([]);
    // A stranger who rates begins no thread.
    expect(await read.select().from(tables.webchatThreads)).toHaveLength(1);
    const [, , third] = (await page.read(chat.token)).body.mensajes.slice(-3);
    expect(third).not.toHaveProperty("es_calificable");
  });

  test("through another tenant's site, and without a token: 401", async () => {
    await using chat = await startChat();
    const id = await chat.answer("run-1");
    await openSite(chat.gateway, "b", "other");
    const other = sitePage(chat.gateway.url, "other");
    const body = { mensaje: id, calificacion: "up" };
    expect((await other.call("POST", "/ratings", { token: chat.token, body })).status).toBe(401);
    expect((await chat.page.call("POST", "/ratings", { body })).status).toBe(401);
    expect((await other.call("POST", "/ratings", { token: await other.begin(), body })).status).toBe(404);
    const foreign = sitePage(chat.gateway.url, "shop", "https://evil.example");
    expect((await foreign.call("POST", "/ratings", { token: chat.token, body })).status).toBe(403);
    expect((await chat.page.call("OPTIONS", "/ratings")).status).toBe(204);
  });

  test.each([
    [{}],
    [{ mensaje: "x" }],
    [{ mensaje: "x", calificacion: "sideways" }],
    [{ mensaje: "", calificacion: "up" }],
    [{ mensaje: "x".repeat(65), calificacion: "up" }],
    [{ mensaje: 1, calificacion: "up" }],
    [{ mensaje: "x", calificacion: "up", visitante: "ana" }],
    ['{"mensaje":"a\\u0000b","calificacion":"up"}'],
    ['{"mensaje":"\\ud800","calificacion":"up"}'],
  ] as [unknown][])("that is malformed, with 400 or 404: %j", async (body) => {
    await using chat = await startChat();
    const refused = await chat.page.call("POST", "/ratings", { token: chat.token, body });
    expect([400, 404]).toContain(refused.status);
    expect(Object.keys(refused.body)).toEqual(["error"]);
  });

  test("beyond 30 a minute: 429, and messages still pass", async () => {
    await using chat = await startChat();
    const id = await chat.answer("run-1");
    for (let count = 0; count < visitorLimits.ratingsOfVisitor; count++) {
      expect((await chat.rate(id, count % 2 === 0 ? "up" : "down")).status).toBe(200);
    }
    const refused = await chat.rate(id, "up");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect((await chat.page.say(chat.token, "x")).status).toBe(202);
  });

  test("when the inbox is full: 503, and the thread keeps the rating before", async () => {
    await using chat = await startChat();
    const id = await chat.answer("run-1");
    await chat.rate(id, "up");
    const { webchat } = chat.gateway.deps;
    if (webchat === undefined) throw new Error("The web chat is off.");
    webchat.inbox.acceptRating = async () => {
      throw new AppError("unavailable", "too_busy", "The inbox is full.");
    };
    expect((await chat.rate(id, "down")).status).toBe(503);
    const { body } = await chat.page.read(chat.token);
    expect(body.mensajes.at(-1)).toMatchObject({ id, calificacion: "up" });
  });
});
