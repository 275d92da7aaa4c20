import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ChannelName } from "../../../../src/contracts/gateway/channels.ts";
import corpus from "../../../corpora/channel_deliveries_valid.json" with { type: "json" };
import { asAdmin, deliver, processAll, startGateway, type TestGateway } from "../../../support/gateway.ts";
import { onEachEngine, sqliteEngine } from "../../../support/storage-engines.ts";

interface Entry {
  id: string;
  input: { channel: ChannelName; payload: object };
  why: string;
}
const entries = (corpus.entries as unknown as Entry[]).map(({ id, ...entry }) => ({
  id: id.replace("channel_deliveries_valid-", ""),
  ...entry,
}));

/** Entries with messages of a user, and their number. */
const messagesOf: Record<string, number> = {
  ...Object.fromEntries(
    ["001", "002", "003", "005", "006", "007", "009", "010", "013", "014", "015", "017", "018", "025"].map(
      (id) => [id, 1],
    ),
  ),
  "026": 2,
  ...Object.fromEntries(["035", "037", "038", "039", "041", "042", "043", "045"].map((id) => [id, 1])),
  ...Object.fromEntries(["053", "054", "055", "061", "062", "063"].map((id) => [id, 1])),
};

/** Messages that no agent answers: one of a group that doesn't address the account, and a shared post without a word. */
const silent: ReadonlySet<string> = new Set(["025", "055"]);
const runsOf = (id: string): number => (silent.has(id) ? 0 : (messagesOf[id] ?? 0));

const accountOf: Partial<Record<ChannelName, string>> = {
  phone_messenger: "PNID1",
  bot_messenger: "BOT1",
  photo_social: "IGID1",
};

/** A gateway at the time of the corpus, with an account on each channel that an agent answers. */
async function startWorld(engine: Parameters<typeof startGateway>[0]): Promise<TestGateway> {
  const gateway = await startGateway(engine, undefined, "2025-10-09T08:53:30.000Z");
  for (const [channel, externalId] of Object.entries(accountOf)) {
    const id = await gateway.account("a", channel as ChannelName, externalId);
    const { status } = await gateway.call("POST", "/admin/bindings", {
      headers: asAdmin,
      body: {
        tenant_id: "a",
        account_id: id,
        entry_agent: "support",
        config: { platform_api_key: "apk_test-key-0001" },
      },
    });
    expect(status).toBe(201);
  }
  return gateway;
}

const post = (gateway: TestGateway, { channel, payload }: Entry["input"]) =>
  deliver(gateway, channel, payload, channel === "bot_messenger" ? { account: "BOT1" } : {});

/** What is left when everything is processed, without ids of our own and times. */
async function endState({ deps: { storage } }: TestGateway) {
  const { inbound, conversations, conversationMessages, identities, outbox } = storage.tables;
  const { read } = storage;
  const sorted = (rows: object[]) => rows.map((row) => JSON.stringify(row)).sort();
  return {
    inbound: sorted(
      (await read.select().from(inbound)).map(({ dedupeKey, state, outcome }) => ({
        dedupeKey,
        state,
        outcome,
      })),
    ),
    conversations: sorted(
      (await read.select().from(conversations)).map(({ externalUser, contactName, agentName, mode }) => ({
        externalUser,
        contactName,
        agentName,
        mode,
      })),
    ),
    messages: sorted(
      (await read.select().from(conversationMessages)).map(({ direction, kind, text }) => ({
        direction,
        kind,
        text,
      })),
    ),
    identities: sorted(
      (await read.select().from(identities)).map(({ phone, externalUser }) => ({ phone, externalUser })),
    ),
    outbox: sorted(
      (await read.select().from(outbox)).map(({ recipient, payload: { trace: _, ...payload } }) => ({
        recipient,
        payload,
      })),
    ),
  };
}

/** Repetitions of each delivery: 1,000 in the full campaign. */
const repeats = Number(process.env.ARGOSY_TEST_DELIVERY_REPEATS ?? 20);
const together = 20;

describe("each valid delivery", () => {
  test.each(entries)("$id $input.channel $why", async ({ id, input }) => {
    await using gateway = await startWorld(sqliteEngine);
    const answer = await post(gateway, input);
    expect([answer.status, answer.body]).toEqual([200, { queued: messagesOf[id] ?? 0 }]);
    await processAll(gateway);
    expect(gateway.platform.runs).toHaveLength(runsOf(id));
    const first = await endState(gateway);
    for (const row of first.inbound) expect(JSON.parse(row).state).toBe("done");
    // Again, many at once, while they are processed.
    for (let left = repeats; left > 0; left -= together) {
      const some = Array.from({ length: Math.min(left, together) }, () => post(gateway, input));
      for (const again of await Promise.all(some))
        expect([again.status, again.body]).toEqual([200, answer.body]);
      await processAll(gateway);
    }
    expect(gateway.platform.calls).toHaveLength(runsOf(id));
    expect(await endState(gateway)).toEqual(first);
  });
});

describe("what the corpus says of single deliveries", () => {
  const payloadOf = (id: string) => {
    const entry = entries.find((one) => one.id === id);
    if (entry === undefined) throw new Error(`There is no entry ${id}.`);
    return entry.input;
  };
  const play = async (gateway: TestGateway, ...ids: string[]) => {
    for (const id of ids) {
      expect((await post(gateway, payloadOf(id))).status).toBe(200);
      await processAll(gateway);
    }
    return endState(gateway);
  };

  test("a user without a number is answered at their business-scoped id", async () => {
    await using gateway = await startWorld(sqliteEngine);
    const { outbox, identities } = await play(gateway, "002");
    expect(outbox).toEqual([
      JSON.stringify({ recipient: "MX.13490000000000000001", payload: { text: "HI" } }),
    ]);
    expect(identities).toEqual([]);
  });

  test("the writer's own number is verified on phone_messenger, a shared or foreign contact is not", async () => {
    await using gateway = await startWorld(sqliteEngine);
    const own = [JSON.stringify({ phone: "+5215550002222", externalUser: "5215550002222" })];
    expect((await play(gateway, "001", "010")).identities).toEqual(own);
    expect((await play(gateway, "041", "042", "043")).identities).toEqual(own);
    expect((await play(gateway, "019")).identities).toEqual([]);
  });

  test("a moved user keeps the conversation under the new address", async () => {
    await using gateway = await startWorld(sqliteEngine);
    const { conversations } = await play(gateway, "001", "019");
    expect(conversations.map((row) => JSON.parse(row).externalUser)).toEqual(["5215550009999"]);
  });

  test("echoes are recorded as outbound, and standby and reactions as inbound, without a run", async () => {
    await using gateway = await startWorld(sqliteEngine);
    const { messages } = await play(gateway, "001", "034", "053", "071");
    expect(messages).toContain(
      JSON.stringify({ direction: "outbound", kind: "text", text: "from the phone app" }),
    );
    expect(messages).toContain(JSON.stringify({ direction: "inbound", kind: "standby", text: "x" }));
    expect(gateway.platform.runs).toHaveLength(2);
  });

  test("a message that its user withdrew loses its text", async () => {
    await using gateway = await startWorld(sqliteEngine);
    const mid = { sender: { id: "IGSID1" }, recipient: { id: "IGID1" }, timestamp: 1_760_000_000_120 };
    const entry = (message: object) => ({
      object: "instagram",
      entry: [{ id: "IGID1", time: 1_760_000_000_123, messaging: [{ ...mid, message }] }],
    });
    await post(gateway, { channel: "photo_social", payload: entry({ mid: "m_6", text: "a secret" }) });
    await processAll(gateway);
    const { messages } = await play(gateway, "058");
    expect(messages).toContain(JSON.stringify({ direction: "inbound", kind: "deleted", text: "" }));
    const rows = await gateway.deps.storage.read.select().from(gateway.deps.storage.tables.inbound);
    expect(JSON.stringify(rows)).not.toContain("a secret");
  });

  test("statuses raise the outbox's message in any order", async () => {
    await using gateway = await startWorld(sqliteEngine);
    await play(gateway, "001");
    const [row] = await gateway.deps.storage.read.select().from(gateway.deps.storage.tables.outbox);
    const status = (name: string) => ({
      ...payloadOf("027"),
      payload: JSON.parse(
        JSON.stringify(payloadOf("027").payload)
          .replace("msg_123", row?.id ?? "")
          .replace('"status":"sent"', `"status":"${name}"`),
      ),
    });
    for (const name of ["read", "delivered", "sent"]) {
      await post(gateway, status(name));
      await processAll(gateway);
    }
    const [after] = await gateway.deps.storage.read.select().from(gateway.deps.storage.tables.outbox);
    expect([after?.status, after?.deliveryStatus]).toEqual(["sent", "read"]);
  });
});

/** Repeats and shuffles of all deliveries in one go; each delivery is one of the corpus's. */
onEachEngine("repeated and shuffled deliveries", (engine) => {
  test("give one run for each message or album, and the same end state", async () => {
    const keep = entries.filter(({ id }) => messagesOf[id] !== undefined);
    // Entries of the corpus share their ids, so each gets ids of its own.
    const own = keep.map(({ id, input }) => ({
      ...input,
      payload: JSON.parse(
        JSON.stringify(input.payload)
          .replaceAll("wamid.", `wamid.${id}.`)
          .replace(/"mid":"/g, `"mid":"${id}.`)
          .replace('"message_id":11', `"message_id":${1000 + Number(id)}`)
          .replace('"update_id":700001', `"update_id":${700_000 + Number(id)}`),
      ) as object,
    }));
    const rounds = engine.dialect === "sqlite" ? 1_000 : 10;
    await using gateway = await startWorld(engine);
    const [draws = []] = fc.sample(
      fc.array(fc.nat(own.length - 1), { minLength: rounds, maxLength: rounds }),
      { numRuns: 1, seed: fc.readConfigureGlobal().seed ?? 1 },
    );
    for (const [round, from] of draws.entries()) {
      // The first round has all of them, in an order of its own; each further one some of them again.
      const turned = [...own.slice(from), ...own.slice(0, from)];
      const answers = await Promise.all(
        turned.slice(0, round === 0 ? own.length : 5).map((one) => post(gateway, one)),
      );
      for (const { status } of answers) expect(status).toBe(200);
      if (round % 250 === 0) await processAll(gateway);
    }
    await processAll(gateway);
    const messages = keep.reduce((sum, { id }) => sum + runsOf(id), 0);
    expect(gateway.logged.filter(({ event }) => event === "inbound.failed")).toEqual([]);
    const { outbox, inbound } = await endState(gateway);
    // The files of one user that arrive together are one run.
    const joined = inbound.filter((row) => JSON.parse(row).outcome === "joined").length;
    expect(gateway.platform.runs.length).toBe(messages - joined);
    expect(new Set(gateway.platform.runs.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(
      messages - joined,
    );
    expect(outbox).toHaveLength(messages - joined);
  });
});
