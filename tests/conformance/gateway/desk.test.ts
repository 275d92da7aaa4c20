import { expect, test } from "bun:test";
import { answered, asAdmin, processAll } from "../../support/gateway.ts";
import { startDesk } from "../../support/gateway-desk.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

onEachEngine("the desk", (engine) => {
  test("notes, assignee and labels name their author and reach no user", async () => {
    const { gateway, as, write, only, client } = await startDesk(engine);
    await using _ = gateway;
    await write("+34600111222", "hola");
    const { id, ...untouched } = await only();
    expect(untouched).toMatchObject({ assignee: null, labels: [], state: "open", needs_person: null });
    const ana = as("Ana Muñoz");
    expect(await ana.addNote(id, "  calls back at five ")).toMatchObject({
      kind: "note",
      by: "Ana Muñoz",
      text: "calls back at five",
    });
    expect((await ana.assign(id, "Bob")).assignee).toBe("Bob");
    expect((await ana.setLabels(id, ["vip", "50%_off", "vip"])).labels).toEqual(["vip", "50%_off"]);
    expect((await ana.listDeskEntries(id)).entries.map(({ kind, by, text }) => [kind, by, text])).toEqual([
      ["note", "Ana Muñoz", "calls back at five"],
      ["assigned", "Ana Muñoz", "Bob"],
      ["labelled", "Ana Muñoz", "vip, 50%_off"],
    ]);
    const found = async (query: object) => (await client.listConversations(query)).total;
    expect(await found({ assignee: "Bob" })).toBe(1);
    expect(await found({ assignee: "" })).toBe(0);
    expect(await found({ label: "50%_off" })).toBe(1);
    expect(await found({ label: "50%" })).toBe(0);
    expect(await found({ label: "50a_off" })).toBe(0);
    expect((await client.assign(id, null)).assignee).toBeNull();
    expect(await found({ assignee: "" })).toBe(1);
    expect((await client.listMessages(id)).messages).toHaveLength(2);
  });

  test("a reply and a takeover carry their author; a repeated reply is one", async () => {
    const { gateway, as, write, only, client } = await startDesk(engine);
    await using _ = gateway;
    await write("+34600111222", "hola");
    const { id } = await only();
    const ana = as("ana");
    expect((await ana.takeOver(id)).mode).toBe("human");
    const reply = { tenant_id: "a", conversation_ref: id, text: "I am a person" };
    const sent = await ana.send(reply, { idempotencyKey: "k1" });
    expect(await as("bob").send(reply, { idempotencyKey: "k1" })).toEqual(sent);
    const { messages } = await client.listMessages(id);
    expect(messages.map(({ text, author }) => [text, author])).toEqual([
      ["hola", undefined],
      ["HOLA", undefined],
      ["I am a person", "ana"],
    ]);
    expect((await client.listDeskEntries(id)).entries).toMatchObject([{ kind: "takeover", by: "ana" }]);
  });

  test("a snooze is over at its time; a resolved conversation opens with the user's next message", async () => {
    const { gateway, write, only, client } = await startDesk(engine);
    await using _ = gateway;
    await write("+34600111222", "hola");
    const { id } = await only();
    const inMs = (ms: number) => new Date(gateway.clock.now().getTime() + ms).toISOString();
    const states = async () =>
      Promise.all(
        (["open", "snoozed", "resolved"] as const).map(
          async (state) => (await client.listConversations({ state })).total,
        ),
      );
    expect(await states()).toEqual([1, 0, 0]);
    const until = inMs(60_000);
    expect(await client.snooze(id, until)).toMatchObject({ state: "snoozed", snoozed_until: until });
    expect(await states()).toEqual([0, 1, 0]);
    await gateway.clock.advance(60_000);
    expect(await client.getConversation(id)).toMatchObject({ state: "open", snoozed_until: null });
    expect(await states()).toEqual([1, 0, 0]);
    expect((await client.resolve(id)).state).toBe("resolved");
    expect(await states()).toEqual([0, 0, 1]);
    await write("+34600111222", "one more thing");
    expect((await only()).state).toBe("open");
    await client.snooze(id, inMs(60_000));
    await write("+34600111222", "and another");
    expect(await states()).toEqual([1, 0, 0]);
    expect((await client.reopen(id)).state).toBe("open");
    expect((await client.listDeskEntries(id)).entries.map(({ kind }) => kind)).toEqual([
      "snoozed",
      "resolved",
      "reopened",
      "snoozed",
      "reopened",
      "reopened",
    ]);
  });

  test("an answer's route.takeover asks for a person until one answers, takes over or resolves", async () => {
    const { gateway, as, write, only, client } = await startDesk(engine);
    await using _ = gateway;
    const route = (takeover: unknown) => {
      gateway.platform.answers = () => answered("A colleague will look.", { route: { takeover } });
    };
    for (const [takeover, reason] of [
      [{ reason: "wants a refund" }, "wants a refund"],
      [{ reason: 7 }, "takeover"],
      [true, "takeover"],
      [{ reason: "x".repeat(900) }, "x".repeat(500)],
    ] as const) {
      route(takeover);
      await write("+34600111222", "refund me");
      expect((await only()).needs_person?.reason).toBe(reason);
      expect((await client.listConversations({ needs_person: true })).total).toBe(1);
      await client.resolve((await only()).id);
      expect((await only()).needs_person).toBeNull();
    }
    route(false);
    await write("+34600111222", "thanks");
    expect((await only()).needs_person).toBeNull();
    expect((await client.listConversations({ needs_person: false })).total).toBe(1);
    const { id } = await only();
    for (const answer of [
      () => as("ana").send({ tenant_id: "a", conversation_ref: id, text: "here" }),
      () => client.takeOver(id),
    ]) {
      route({ reason: "again" });
      await write("+34600111222", "help");
      expect((await only()).needs_person?.reason).toBe("again");
      await answer();
      expect((await only()).needs_person).toBeNull();
    }
  });

  test("a failed run asks for a person if the binding says so, and not otherwise", async () => {
    const { gateway, write, only, client, binding } = await startDesk(engine);
    await using _ = gateway;
    gateway.platform.answers = () => ({ kind: "refused", status: 500, code: "run_failed" });
    await write("+34600111222", "hola");
    expect((await only()).needs_person).toBeNull();
    await client.changeBinding(binding.id, { config: { takeover_on_failure: true } });
    await write("+34600111222", "hola?");
    expect((await only()).needs_person?.reason).toBe("run_failed: run_failed");
  });

  test("the search finds names, numbers in any spelling, and beginnings of words in any case, with or without accents", async () => {
    const { gateway, write, client } = await startDesk(engine);
    await using _ = gateway;
    gateway.platform.answers = () => answered("");
    await write("+34600111222", "Mi pedido Número 4711 no llegó ¿dónde está?");
    await write("+34600333444", "Straße 5, 東京");
    const found = async (q: string, tenant?: string) =>
      (await client.listConversations({ q, ...(tenant !== undefined && { tenant }) })).conversations.map(
        ({ external_user }) => external_user.slice(-3),
      );
    for (const q of [
      "pedido",
      "PEDI",
      "numero 4711",
      "donde",
      "LLEGÓ pedido",
      "34 600 111-222",
      "(600) 111 222",
      "0034 600 111 222",
      "+34 (0)600 111 222",
      "0600 111222",
    ])
      expect({ q, found: await found(q) }).toEqual({ q, found: ["222"] });
    for (const q of ["東京", "STRASSE", "straß"]) expect(await found(q)).toEqual(["444"]);
    for (const q of ["edido", "pedido tokyo", "%", "'; drop", "pedido strange"])
      expect({ q, found: await found(q) }).toEqual({ q, found: [] });
    expect(await found("pedido", "a")).toEqual(["222"]);
    expect(await found("pedido", "b")).toEqual([]);
  });

  test("names are found in any case, with or without accents, also those written with combining ones", async () => {
    const { gateway, client } = await startDesk(engine);
    await using _ = gateway;
    gateway.platform.answers = () => answered("");
    const names = ["José Núñez", "Ze\u0301lie", "Dvořák", "ΆΛΚΗΣ", "Ёлкин", "Jose Smith", "[x]"];
    for (const [at, nombre] of names.entries())
      await client.emulateInbound({ cuenta: "PN1", desde: `+3460000000${at}`, texto: ".", nombre });
    await processAll(gateway);
    for (const [q, ...expected] of [
      ["Jose", "José Núñez", "Jose Smith"],
      ["JOSÉ", "José Núñez", "Jose Smith"],
      ["nunez", "José Núñez"],
      ["nu\u0301n\u0303ez", "José Núñez"],
      ["zelie", "Zélie"],
      ["DVORAK", "Dvořák"],
      ["αλκης", "ΆΛΚΗΣ"],
      ["елкин", "Ёлкин"],
      ["[x", "[x]"],
      ["jo.e"],
    ] as const) {
      const listed = (await client.listConversations({ q })).conversations.map((one) => one.contact_name);
      const contacts = (await client.listContacts({ q })).contacts.map(({ name }) => name);
      expect({ q, listed: listed.sort(), contacts: contacts.sort() }).toEqual({
        q,
        listed: [...expected].sort(),
        contacts: [...expected].sort(),
      });
    }
  });

  test("the agent and the desk read what a template said, with its values", async () => {
    const { gateway, as, write, only, client } = await startDesk(engine);
    await using _ = gateway;
    gateway.platform.answers = () => answered("");
    const to = { tenant_id: "a", channel: "phone_messenger" as const, recipient: "+34600111222" };
    const language = "en_US";
    await as("Ana").send({ ...to, template: { name: "appointment", language, params: ["Eva", "at five"] } });
    const components = [
      {
        type: "body",
        parameters: [
          { type: "text", text: "Ben" },
          { type: "text", text: "at six" },
        ],
      },
    ];
    await as("Ana").send({ ...to, template: { name: "appointment", language, components } });
    await as("Ana").send({ ...to, template: { name: "unknown", language, params: ["x"] } });
    const said = (name: string, when: string) =>
      `[template appointment, en_US]\nYour appointment\nHello ${name}, we expect you ${when}.\nAnswer to change it.\n[I confirm]`;
    const texts = [said("Eva", "at five"), said("Ben", "at six"), "[template unknown, en_US: x]"];
    expect((await client.listMessages((await only()).id)).messages.map(({ text }) => text)).toEqual(texts);
    await write("+34600111222", "Yes");
    expect(gateway.platform.runs[0]?.request.turns?.map(({ content }) => content)).toEqual(texts);
  });

  test("each named person has unread messages of their own", async () => {
    const { gateway, as, write, only, client } = await startDesk(engine);
    await using _ = gateway;
    await write("+34600111222", "hola");
    const { id } = await only();
    const unread = async (person?: string) =>
      (await as(person).listConversations()).conversations.map(({ unread }) => unread)[0];
    await as("ana").markSeen(id);
    expect([await unread("ana"), await unread("bob"), await unread()]).toEqual([0, 1, 1]);
    const ofOne = async (person?: string) => (await as(person).getConversation(id)).unread;
    expect([await ofOne("ana"), await ofOne("bob"), await ofOne()]).toEqual([0, 1, 1]);
    expect((await client.getConversation(id)).last_message).toEqual((await only()).last_message);
    expect((await as("ana").listConversations({ unread: true })).total).toBe(0);
    expect((await as("bob").listConversations({ unread: true })).total).toBe(1);
    // Who isn't named has read for all who never did.
    await client.markSeen(id);
    expect([await unread("bob"), await unread()]).toEqual([0, 0]);
    await write("+34600111222", "hola?");
    expect([await unread("ana"), await unread("bob"), await unread()]).toEqual([1, 1, 1]);
    // Who marks it unread again has the newest message to read.
    await client.markSeen(id);
    await as("ana").markUnseen(id);
    expect([await unread("ana"), await unread("bob"), await unread()]).toEqual([1, 0, 0]);
    await client.markUnseen(id);
    expect(await unread()).toBe(1);
  });

  test("canned replies belong to a tenant; one name is one reply; an unknown one is 404", async () => {
    const { gateway, client } = await startDesk(engine);
    await using _ = gateway;
    const first = await client.saveCanned({ tenant_id: "a", name: "hi", text: "Hello {{name}}" });
    expect(await client.saveCanned({ tenant_id: "a", name: "hi", text: "Hi {{name}}" })).toEqual({
      ...first,
      text: "Hi {{name}}",
    });
    expect((await client.listCanned("a")).replies).toHaveLength(1);
    expect((await client.listCanned("b")).replies).toEqual([]);
    await client.deleteCanned(first.id);
    expect(client.deleteCanned(first.id)).rejects.toMatchObject({ kind: "not_found" });
  });

  test("bad decisions are 400, unknown conversations 404, and nothing is noted", async () => {
    const { gateway, write, only, client } = await startDesk(engine);
    await using _ = gateway;
    await write("+34600111222", "hola");
    const { id } = await only();
    const post = async (rest: string, body: object, headers: Record<string, string> = {}) =>
      (
        await gateway.call("POST", `/admin/conversations/${rest}`, {
          headers: { ...asAdmin, ...headers },
          body,
        })
      ).status;
    for (const [rest, body] of [
      ["snooze", { until: "2001-01-01T00:00:00Z" }],
      ["snooze", { until: "tomorrow" }],
      ["snooze", { until: "+275760-09-13T00:00:00Z" }],
      ["note", { text: "  " }],
      ["note", { text: "a\u0000b" }],
      ["assign", { assignee: "" }],
      ["assign", { assignee: "  " }],
      ["assign", {}],
      ["label", { labels: [" "] }],
      ["label", { labels: "vip" }],
      ["label", { labels: Array.from({ length: 21 }, (_, at) => `l${at}`) }],
    ] as const)
      expect({ rest, body, status: await post(`${id}/${rest}`, body) }).toEqual({ rest, body, status: 400 });
    for (const name of ["%zz", "%00", "a%0Ab", "x".repeat(121)])
      expect(await post(`${id}/note`, { text: "x" }, { "x-acting-for": name })).toBe(400);
    for (const [rest, body] of [
      ["note", { text: "x" }],
      ["assign", { assignee: null }],
      ["label", { labels: [] }],
      ["snooze", { until: "2998-01-01T00:00:00Z" }],
      ["resolve", {}],
      ["reopen", {}],
    ] as const)
      expect(await post(`none/${rest}`, body)).toBe(404);
    expect((await client.listDeskEntries(id)).entries).toEqual([]);
  });
});
