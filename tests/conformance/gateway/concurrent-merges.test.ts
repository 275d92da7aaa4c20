import { expect, test } from "bun:test";
import { asAdmin, deliver, processAll, startGateway } from "../../support/gateway.ts";
import { deliveryOf, textMessage } from "../../support/message-provider.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

const people = ["5215550001111", "5215550002222", "5215550003333", "5215550004444"];
const bsuidOf = (phone: string) => `MX.${phone.slice(-4)}`;

onEachEngine("persons who turn out to have two addresses each, all at the same time", (engine) => {
  test("have one contact and one conversation each, with every message once and each answer once, while people send and take over", async () => {
    await using gateway = await startGateway(engine, undefined, "2025-10-09T08:53:30.000Z");
    const accountId = await gateway.account("a", "phone_messenger", "PNID1");
    const config = { platform_api_key: "apk_test-key-0001" };
    const binding = { tenant_id: "a", account_id: accountId, entry_agent: "support", config };
    await gateway.call("POST", "/admin/bindings", { headers: asAdmin, body: binding });
    const byPhone = (phone: string, id: string, more: object = {}) =>
      deliveryOf([textMessage(id, `from ${phone} ${id}`, { from: phone })], {
        contacts: [{ profile: { name: "Ana" }, wa_id: phone, ...more }],
      });
    const byId = (phone: string, id: string) =>
      deliveryOf(
        [{ ...textMessage(id, `from ${phone} ${id}`, { from_user_id: bsuidOf(phone) }), from: undefined }],
        { contacts: [{ profile: { name: "Ana" }, user_id: bsuidOf(phone) }] },
      );
    const receive = async (...deliveries: string[]) => {
      for (const one of deliveries) expect((await deliver(gateway, "phone_messenger", one)).status).toBe(200);
    };
    const conversations = async () =>
      (await gateway.call("GET", "/admin/conversations?limit=200", { headers: asAdmin })).body.conversations;
    for (const phone of people)
      await receive(byPhone(phone, `wamid.${phone}.1`), byId(phone, `wamid.${phone}.2`));
    await processAll(gateway);
    const before = await conversations();
    expect(before).toHaveLength(people.length * 2);
    // The two addresses of a person are of two lanes, so the merge is asked for from both at once.
    for (const phone of people) {
      await receive(
        byPhone(phone, `wamid.${phone}.3`, { user_id: bsuidOf(phone) }),
        byId(phone, `wamid.${phone}.4`),
        byPhone(phone, `wamid.${phone}.5`, { user_id: bsuidOf(phone) }),
      );
    }
    const work = before.flatMap(({ id }: { id: string }, index: number) => [
      gateway.call("POST", "/admin/send", {
        headers: asAdmin,
        body: { tenant_id: "a", conversation_ref: id, text: `by people ${index}` },
      }),
      gateway.call("POST", `/admin/conversations/${id}/note`, { headers: asAdmin, body: { text: "note" } }),
    ]);
    const [answers] = await Promise.all([Promise.all(work), processAll(gateway)]);
    expect(answers.map(({ status }) => status).filter((status) => status >= 400)).toEqual([]);
    await processAll(gateway);
    expect(gateway.logged.filter(({ event }) => event === "inbound.failed")).toEqual([]);
    const after = await conversations();
    expect(after).toHaveLength(people.length);
    const { tables, read } = gateway.deps.storage;
    expect(await read.$count(tables.contacts)).toBe(people.length);
    const texts = (await read.select().from(tables.conversationMessages)).map(({ conversationId, text }) => ({
      conversationId,
      text,
    }));
    expect(texts).toHaveLength(people.length * (5 + 5 + 2));
    expect(new Set(texts.map(({ text }) => text)).size).toBe(texts.length);
    for (const { id, contact_id: contact } of after) {
      const own = (await read.select().from(tables.contactAddresses)).filter(
        (row) => row.contactId === contact,
      );
      const [phone = ""] = own.map(({ value }) => value).filter((value) => value.startsWith("52"));
      const named = texts.filter(({ text }) => text.toLowerCase().includes(phone));
      expect(new Set(named.map(({ conversationId }) => conversationId))).toEqual(new Set([id]));
    }
    expect(new Set((await read.select().from(tables.deskEntries)).map((row) => row.conversationId))).toEqual(
      new Set(after.map(({ id }: { id: string }) => id)),
    );
  });
});
