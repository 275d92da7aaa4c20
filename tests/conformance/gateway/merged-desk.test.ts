import { expect, test } from "bun:test";
import { gatewayAdminClient } from "../../../src/contracts/gateway/client.ts";
import { adminToken, asAdmin, deliver, processAll, startGateway } from "../../support/gateway.ts";
import { deliveryOf, textMessage } from "../../support/message-provider.ts";
import { onEachEngine, type TestEngine } from "../../support/storage-engines.ts";

const phone = "5215550002222";
const bsuid = "MX.666";

/** A gateway with two conversations of one person, whom the provider has not yet named together. */
async function startTwice(engine: TestEngine) {
  const gateway = await startGateway(engine, undefined, "2025-10-09T08:53:30.000Z");
  await gateway.account("a", "phone_messenger", "PNID1");
  const as = (person?: string) =>
    gatewayAdminClient({ fetch: (request) => fetch(request), baseUrl: gateway.url }, adminToken, person);
  const receive = async (message: object, contact: object) => {
    const delivery = deliveryOf([message], { contacts: [{ profile: { name: "Ana" }, ...contact }] });
    expect((await deliver(gateway, "phone_messenger", delivery)).status).toBe(200);
    await processAll(gateway);
    await gateway.clock.advance(1_000);
  };
  await receive(textMessage("wamid.1", "my parcel is late"), { wa_id: phone });
  const document = { id: "m1", mime_type: "application/pdf", filename: "receipt.pdf" };
  await receive(
    { id: "wamid.2", from_user_id: bsuid, timestamp: "1760000001", type: "document", document },
    { user_id: bsuid },
  );
  await receive(
    { ...textMessage("wamid.3", "the parcel from Lisbon", { from_user_id: bsuid }), from: undefined },
    { user_id: bsuid },
  );
  const [gone, kept] = (await as().listConversations()).conversations;
  if (kept === undefined || gone === undefined) throw new Error("There are not two conversations.");
  const merge = () => receive(textMessage("wamid.4", "hello?"), { wa_id: phone, user_id: bsuid });
  return { gateway, as, kept, gone, merge };
}

onEachEngine("two conversations that become one", (engine) => {
  test("keep the labels, notes, assignee and files of both, and what asks for a person", async () => {
    const { gateway, as, kept, gone, merge } = await startTwice(engine);
    await using _ = gateway;
    const ana = as("ana");
    await ana.setLabels(kept.id, ["late"]);
    await ana.setLabels(gone.id, ["lisbon", "late"]);
    await ana.assign(gone.id, "bob");
    await ana.addNote(kept.id, "first note");
    await ana.addNote(gone.id, "second note");
    await ana.resolve(kept.id);
    await merge();
    const { conversations } = await as().listConversations();
    expect(conversations).toMatchObject([
      { id: kept.id, assignee: "bob", labels: ["late", "lisbon"], state: "open" },
    ]);
    const entries = (await as().listDeskEntries(gone.id)).entries;
    expect(entries.filter(({ kind }) => kind === "note").map(({ text }) => text)).toEqual([
      "first note",
      "second note",
    ]);
    expect((await as().addNote(gone.id, "third note")).conversation_id).toBe(kept.id);
    expect(await as().assign(gone.id, "eva")).toMatchObject({ id: kept.id, assignee: "eva" });
    const { mediaFiles, desk } = gateway.deps.storage.tables;
    const { read } = gateway.deps.storage;
    expect((await read.select().from(mediaFiles)).map((file) => file.conversationId)).toEqual([kept.id]);
    expect((await read.select().from(desk)).map((row) => row.conversationId)).toEqual([kept.id]);
  });

  test("are found by the words of both, once", async () => {
    const { gateway, as, kept, merge } = await startTwice(engine);
    await using _ = gateway;
    await merge();
    for (const q of ["parcel", "lisb", "late", "hello"]) {
      const { conversations, total } = await as().listConversations({ q });
      expect([q, total, conversations[0]?.id]).toEqual([q, 1, kept.id]);
    }
  });

  test("leave unread for each person what they have not read in either", async () => {
    const { gateway, as, kept, gone, merge } = await startTwice(engine);
    await using _ = gateway;
    await as("ana").markSeen(kept.id);
    await as("ana").markSeen(gone.id);
    await as("bob").markSeen(gone.id);
    await merge();
    const unread = async (person: string) => (await as(person).listConversations()).conversations[0]?.unread;
    expect([await unread("ana"), await unread("bob"), await unread("eva")]).toEqual([3, 4, 4]);
    await as("bob").markSeen(gone.id);
    expect(await unread("bob")).toBe(0);
  });

  test("ask for a person for the earlier reason", async () => {
    const { gateway, as, kept, gone, merge } = await startTwice(engine);
    await using _ = gateway;
    const { desk } = gateway.deps.storage.tables;
    const ask = (conversationId: string, needsReason: string, at: string) =>
      gateway.deps.storage.transact((tx) =>
        tx.insert(desk).values({
          conversationId,
          tenantId: "a",
          assignee: null,
          labels: [],
          state: "open",
          snoozedUntil: null,
          needsReason,
          needsSince: new Date(at),
        }),
      );
    await ask(kept.id, "low_score", "2025-10-09T08:00:00.000Z");
    await ask(gone.id, "run_failed: x", "2025-10-09T07:00:00.000Z");
    await merge();
    expect((await as().listConversations({ needs_person: true })).conversations).toMatchObject([
      { id: kept.id, needs_person: { reason: "run_failed: x", since: "2025-10-09T07:00:00.000Z" } },
    ]);
  });
});

onEachEngine("a message that its user withdrew", (engine) => {
  test("has neither its files nor a wording before an edit", async () => {
    await using gateway = await startGateway(engine, undefined, "2025-10-09T08:53:30.000Z");
    await gateway.account("a", "phone_messenger", "PNID1");
    const receive = async (message: object) => {
      await deliver(gateway, "phone_messenger", deliveryOf([message]));
      await processAll(gateway);
    };
    const of = { from: phone, timestamp: "1760000001" };
    await receive({ ...of, id: "wamid.1", type: "image", image: { id: "m1", mime_type: "image/png" } });
    await receive(textMessage("wamid.2", "a secret"));
    const edited = { original_message_id: "wamid.2", message: { type: "text", text: { body: "nothing" } } };
    await receive({ ...of, id: "wamid.3", type: "edit", edit: edited });
    for (const about of ["wamid.1", "wamid.2"])
      await receive({ ...of, id: `revoke.${about}`, type: "revoke", revoke: { original_message_id: about } });
    const [{ id }] = (await gateway.call("GET", "/admin/conversations", { headers: asAdmin })).body
      .conversations;
    const { body, text } = await gateway.call("GET", `/admin/conversations/${id}/messages`, {
      headers: asAdmin,
    });
    expect(body.messages).toMatchObject([
      { kind: "deleted", text: "", media: [] },
      { kind: "deleted", text: "", media: [] },
    ]);
    expect(text).not.toContain("secret");
    const { mediaFiles } = gateway.deps.storage.tables;
    expect(await gateway.deps.storage.read.select().from(mediaFiles)).toEqual([]);
  });
});
