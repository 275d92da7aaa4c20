import { expect, test } from "bun:test";
import { tally } from "../../../src/services/gateway/reports/tally.ts";
import { answered, asAdmin, processAll } from "../../support/gateway.ts";
import { startDesk } from "../../support/gateway-desk.ts";
import { onEachEngine } from "../../support/storage-engines.ts";

const ask = "How was our help, from 1 to 5?";
const minuteMs = 60_000;

type Desk = Awaited<ReturnType<typeof startDesk>>;

/** Adds up what is settled, as the worker does. */
const settle = ({ gateway }: Desk) => tally(gateway.deps, new AbortController().signal);

onEachEngine("reports of the desk", (engine) => {
  test("measure the first answer and the resolution, by person and by agent, and count messages", async () => {
    const desk = await startDesk(engine);
    const { gateway, as, write, only } = desk;
    await using _ = gateway;
    const { clock } = gateway;
    // The agent answers 8 seconds after the message.
    gateway.platform.answers = async () => {
      await clock.advance(8_000);
      return answered("Hello");
    };
    await write("+34600000001", "hi");
    gateway.platform.answers = () => answered("");
    await as("Ana").takeOver((await only()).id);
    // Nobody answers the second question before Ana does; it belongs to the same conversation.
    await clock.advance(minuteMs);
    await write("+34600000001", "are you there?");
    await as("Ana").send({ tenant_id: "a", conversation_ref: (await only()).id, text: "Yes" });
    await clock.advance(minuteMs - 8_000);
    await as("Ana").resolve((await only()).id);
    await as("Ana").resolve((await only()).id);
    // A second conversation of the same person, which Bob answers after ten minutes.
    await write("+34600000001", "again");
    await clock.advance(10 * minuteMs);
    await as("Bob").send({ tenant_id: "a", conversation_ref: (await only()).id, text: "Here" });
    const figures = async () => {
      const { total, people, agents, days } = await desk.client.report({ tenant: "a" });
      return { total, people, agents, today: days.at(-1) };
    };
    const before = await figures();
    expect(before.total).toEqual({
      conversations: 2,
      inbound: 3,
      outbound: 3,
      first_response: { count: 2, average_s: 304, median_s: 8 },
      resolution: { count: 1, average_s: 120, median_s: 120 },
      transcription: { count: 0, seconds: 0 },
      csat: { asked: 0, answered: 0, average: null, scores: [0, 0, 0, 0, 0] },
    });
    expect(before.people).toMatchObject([
      { name: "Ana", outbound: 1, first_response: { count: 0 }, resolution: { count: 1, average_s: 120 } },
      { name: "Bob", outbound: 1, first_response: { count: 1, average_s: 600 }, resolution: { count: 0 } },
    ]);
    expect(before.agents).toMatchObject([
      { name: "support", outbound: 1, first_response: { count: 1, average_s: 8 }, resolution: { count: 1 } },
    ]);
    expect(before.today).toMatchObject({ date: "2026-03-10", conversations: 2, inbound: 3, outbound: 3 });
    // Sums in the background change nothing, however often they are made.
    await settle(desk);
    expect(await figures()).toEqual(before);
    await clock.advance(5 * minuteMs);
    await settle(desk);
    await settle(desk);
    expect(await figures()).toEqual(before);
    await write("+34600000001", "and again");
    expect((await figures()).total).toMatchObject({ conversations: 2, inbound: 4 });
    expect((await desk.client.report({ tenant: "b" })).total).toMatchObject({ inbound: 0, conversations: 0 });
  });

  test("a day of silence after an answer begins a new conversation; one that waits for an answer goes on", async () => {
    const desk = await startDesk(engine);
    const { gateway, as, write, only } = desk;
    await using _ = gateway;
    gateway.platform.answers = () => answered("");
    await write("+34600000001", "hi");
    await gateway.clock.advance(30 * 60 * minuteMs);
    await write("+34600000001", "nobody?");
    const [{ id }] = [await only()];
    await as("Ana").send({ tenant_id: "a", conversation_ref: id, text: "Yes", force: true });
    await gateway.clock.advance(30 * 60 * minuteMs);
    await write("+34600000001", "another thing");
    const { total } = await desk.client.report({ tenant: "a" });
    expect(total).toMatchObject({ conversations: 2, first_response: { count: 1 } });
    expect(total.first_response.average_s).toBeCloseTo(108_000, 1);
  });

  test("a conversation of an earlier version begins with its user's next message", async () => {
    const desk = await startDesk(engine);
    const { gateway, as, write, only } = desk;
    await using _ = gateway;
    gateway.platform.answers = () => answered("");
    await write("+34600000001", "before the upgrade");
    const { storage } = gateway.deps;
    const { conversations, measured } = storage.tables;
    await storage.transact(async (tx) => {
      await tx.update(conversations).set({ begunAt: null, answeredAt: null });
      await tx.delete(measured);
    });
    const reply = async () =>
      as("Ana").send({ tenant_id: "a", conversation_ref: (await only()).id, text: "Yes" });
    await reply();
    await write("+34600000001", "after it");
    await gateway.clock.advance(minuteMs);
    await reply();
    const { total } = await desk.client.report({ tenant: "a" });
    expect(total).toMatchObject({ conversations: 1, inbound: 2, outbound: 2, first_response: { count: 1 } });
    expect(total.first_response.average_s).toBeCloseTo(60, 1);
  });

  test("days are those of the time zone, also when the clock changes", async () => {
    const desk = await startDesk(engine);
    const { gateway, write } = desk;
    await using _ = gateway;
    const at = async (instant: string, text: string) => {
      await gateway.clock.advance(Date.parse(instant) - gateway.clock.now().getTime());
      await write("+34600000001", text);
    };
    // Madrid sets its clock forward on 2026-03-29 at 01:00 UTC.
    await at("2026-03-28T22:59:00Z", "on the 28th");
    await at("2026-03-28T23:00:00Z", "first of the 29th");
    await at("2026-03-29T21:59:00Z", "last of the 29th");
    await at("2026-03-29T22:00:00Z", "on the 30th");
    for (const isSettled of [false, true]) {
      if (isSettled) {
        await gateway.clock.advance(5 * minuteMs);
        await settle(desk);
      }
      const { days, ...range } = await desk.client.report({
        tenant: "a",
        from: "2026-03-28",
        to: "2026-03-30",
        time_zone: "Europe/Madrid",
      });
      expect(range).toMatchObject({ from: "2026-03-28", to: "2026-03-30", time_zone: "Europe/Madrid" });
      expect(days.map(({ date, inbound }) => [date, inbound])).toEqual([
        ["2026-03-28", 1],
        ["2026-03-29", 2],
        ["2026-03-30", 1],
      ]);
      const kathmandu = await desk.client.report({
        tenant: "a",
        from: "2026-03-29",
        to: "2026-03-29",
        time_zone: "Asia/Kathmandu",
      });
      expect(kathmandu.total.inbound).toBe(2);
    }
  });

  test("a late message is counted when it is stored, at its own time", async () => {
    const desk = await startDesk(engine);
    const { gateway, write, client } = desk;
    await using _ = gateway;
    await write("+34600000001", "first");
    await client.emulateInbound({ cuenta: "PN1", desde: "+34600000002", texto: "waits" });
    await gateway.clock.advance(30 * minuteMs);
    await settle(desk);
    await processAll(gateway);
    await gateway.clock.advance(30 * minuteMs);
    await settle(desk);
    expect((await client.report({ tenant: "a" })).total).toMatchObject({ inbound: 2, conversations: 2 });
  });

  test("invalid days and zones are 400; another channel's are none; the CSV has a line for each", async () => {
    const desk = await startDesk(engine);
    const { gateway, write, client } = desk;
    await using _ = gateway;
    await write("+34600000001", "hi");
    for (const query of [
      "from=2026-02-30",
      "from=yesterday",
      "to=1969-12-31",
      "from=2026-03-11",
      "from=2025-03-01&to=2026-03-10",
      "time_zone=Mars/Base",
      "channel=fax",
    ]) {
      const { status } = await gateway.call("GET", `/admin/reports?${query}`, { headers: asAdmin });
      expect(`${query}: ${status}`).toBe(`${query}: 400`);
    }
    expect((await client.report({ channel: "echo" })).total.inbound).toBe(0);
    expect((await client.report({ channel: "phone_messenger" })).total.inbound).toBe(1);
    const csv = await client.reportCsv({ tenant: "a", from: "2026-03-09", to: "2026-03-10" });
    const lines = csv.trimEnd().split("\r\n");
    expect(lines.map((line) => line.split(",").slice(0, 5).join())).toEqual([
      "group,name,conversations,inbound,outbound",
      "total,2026-03-09 to 2026-03-10,1,1,1",
      "day,2026-03-09,0,0,0",
      "day,2026-03-10,1,1,1",
      "agent,support,0,0,1",
    ]);
  });
});

onEachEngine("the score after a resolution", (engine) => {
  test("is asked for once if the binding says so; a lone number is the answer, starts no run and opens nothing", async () => {
    const desk = await startDesk(engine, { csat_question: ask });
    const { gateway, as, write, only, client } = desk;
    await using _ = gateway;
    await write("+34600000001", "hi");
    const { id } = await only();
    await as("Ana").resolve(id);
    await as("Ana").resolve(id);
    expect((await client.listMessages(id)).messages.map(({ text }) => text)).toEqual(["hi", "HI", ask]);
    await write("+34600000001", " 4/5 ");
    expect(gateway.platform.runs).toHaveLength(1);
    expect((await only()).state).toBe("resolved");
    expect((await client.listDeskEntries(id)).entries.map(({ kind, by, text }) => [kind, by, text])).toEqual([
      ["resolved", "Ana", ""],
      ["csat_asked", "Ana", ""],
      ["resolved", "Ana", ""],
      ["csat", null, "4"],
    ]);
    const { total, people, agents } = await client.report({ tenant: "a" });
    const csat = { asked: 1, answered: 1, average: 4, scores: [0, 0, 0, 1, 0] };
    expect(total.csat).toEqual(csat);
    expect(people).toMatchObject([{ name: "Ana", csat }]);
    expect(agents).toMatchObject([{ name: "support", csat }]);
    // The second number is a message like any other.
    await write("+34600000001", "5");
    expect(gateway.platform.runs).toHaveLength(2);
    expect((await only()).state).toBe("open");
    expect((await client.report({ tenant: "a" })).total.csat.answered).toBe(1);
  });

  test("is no answer after other words, after three days, or with a file", async () => {
    const desk = await startDesk(engine, { csat_question: ask });
    const { gateway, as, write, only, client } = desk;
    await using _ = gateway;
    const resolved = async () => {
      await write("+34600000001", "hi");
      await as("Ana").resolve((await only()).id);
    };
    await resolved();
    await write("+34600000001", "Thanks! One more question.");
    await write("+34600000001", "5");
    await resolved();
    await gateway.clock.advance(3 * 24 * 60 * minuteMs + 1);
    await write("+34600000001", "5");
    expect((await client.report({ tenant: "a" })).total.csat).toMatchObject({ asked: 2, answered: 0 });
    expect(gateway.platform.runs).toHaveLength(5);
  });

  test("is not asked without a question, outside the window, or of someone who never wrote", async () => {
    const desk = await startDesk(engine, { csat_question: ask });
    const { gateway, as, write, only, client, binding } = desk;
    await using _ = gateway;
    await client.send({
      tenant_id: "a",
      channel: "phone_messenger",
      recipient: "+34600000009",
      text: "x",
      force: true,
    });
    await as("Ana").resolve((await only()).id);
    await write("+34600000009", "hi");
    await gateway.clock.advance((24 * 60 + 1) * minuteMs);
    await as("Ana").resolve((await only()).id);
    await client.changeBinding(binding.id, { config: { csat_question: null } });
    await write("+34600000009", "hi");
    await as("Ana").resolve((await only()).id);
    expect((await client.report({ tenant: "a" })).total).toMatchObject({
      resolution: { count: 2 },
      csat: { asked: 0 },
    });
  });

  test("a blank or overlong question is 400", async () => {
    const { gateway, binding } = await startDesk(engine);
    await using _ = gateway;
    for (const csat_question of ["", "  ", "x".repeat(901), 5]) {
      const body = { config: { csat_question } };
      expect(
        (await gateway.call("PUT", `/admin/bindings/${binding.id}`, { headers: asAdmin, body })).status,
      ).toBe(400);
    }
  });
});
