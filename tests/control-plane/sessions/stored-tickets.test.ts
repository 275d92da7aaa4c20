import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import {
  checkTicket,
  issueTicket,
  redeemTicket,
  ticketTables,
} from "../../../src/control-plane/sessions/stored-tickets.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { onEachEngine, type TestEngine } from "../../support/storage-engines.ts";

const open = async (engine: TestEngine) => engine.open({ service: "tickets", tables: ticketTables });
const refused = { kind: "unauthorized", message: expect.stringContaining("used, expired") };

onEachEngine("stored tickets", (engine) => {
  test("open what they were issued for, exactly once among parallel tries", async () => {
    const clock = new FakeClock();
    await using storage = await open(engine);
    const grant = { caller: "me", query: "hello" };
    const { ticket, expires_in } = await issueTicket(
      { storage, clock },
      { owner: "ada", resource: "a", grant },
    );
    expect(expires_in).toBe(30);
    const tries = await Promise.allSettled(
      Array.from({ length: 20 }, () => redeemTicket({ storage, clock }, ticket, "a")),
    );
    expect(tries.filter(({ status }) => status === "fulfilled")).toEqual([
      { status: "fulfilled", value: grant },
    ]);
  });

  test("are not used up by a check, also for something else, and expire all the same", async () => {
    const clock = new FakeClock();
    await using storage = await open(engine);
    const deps = { storage, clock };
    const wanted = { owner: "ada", resource: "a", grant: { caller: "me" } };
    const { ticket } = await issueTicket(deps, wanted);
    expect(await checkTicket<typeof wanted.grant>(deps, ticket, "a")).toEqual({ caller: "me" });
    await expect(checkTicket(deps, ticket, "b")).rejects.toMatchObject(refused);
    await expect(checkTicket(deps, "x", "a")).rejects.toMatchObject(refused);
    expect(await redeemTicket<typeof wanted.grant>(deps, ticket, "a")).toEqual({ caller: "me" });
    await expect(checkTicket(deps, ticket, "a")).rejects.toMatchObject(refused);
    const late = await issueTicket(deps, wanted);
    await clock.advance(30_000);
    await expect(checkTicket(deps, late.ticket, "a")).rejects.toMatchObject(refused);
  });

  test("are used up by a try on something else", async () => {
    const clock = new FakeClock();
    await using storage = await open(engine);
    const { ticket } = await issueTicket({ storage, clock }, { owner: "ada", resource: "a", grant: null });
    for (const resource of ["b", "a"])
      await expect(redeemTicket({ storage, clock }, ticket, resource)).rejects.toMatchObject(refused);
  });

  test("are refused when they are unknown or expired, and expired ones make room", async () => {
    const clock = new FakeClock();
    await using storage = await open(engine);
    const { streamTickets } = storage.tables;
    for (const ticket of ["", "constructor", "__proto__"])
      await expect(redeemTicket({ storage, clock }, ticket, "a")).rejects.toMatchObject(refused);
    const wanted = { owner: "ada", resource: "a", grant: null };
    const { ticket } = await issueTicket({ storage, clock }, wanted);
    await clock.advance(30_000);
    await expect(redeemTicket({ storage, clock }, ticket, "a")).rejects.toMatchObject(refused);
    await issueTicket({ storage, clock }, wanted);
    expect(await storage.read.$count(streamTickets)).toBe(1);
  });

  test("of one owner are bounded, and another owner still gets one", async () => {
    const clock = new FakeClock();
    await using storage = await open(engine);
    const { streamTickets } = storage.tables;
    const expiresAt = new Date(clock.now().getTime() + 1);
    const rows = Array.from({ length: 500 }, (_, hash) => ({ hash: `${hash}`, owner: "ada", sealed: "" }));
    await storage.transact((tx) =>
      tx.insert(streamTickets).values(rows.map((row) => ({ ...row, expiresAt }))),
    );
    const wanted = { resource: "a", grant: null };
    await expect(issueTicket({ storage, clock }, { owner: "ada", ...wanted })).rejects.toMatchObject({
      code: "too_busy",
    });
    const { ticket } = await issueTicket({ storage, clock }, { owner: "eve", ...wanted });
    expect(await redeemTicket<null>({ storage, clock }, ticket, "a")).toBeNull();
  });

  test("leave nothing in the database that opens a stream or shows a credential", async () => {
    const clock = new FakeClock();
    await using storage = await open(engine);
    const { streamTickets } = storage.tables;
    const wanted = { owner: "ada", resource: "agent-a", grant: { key: "ask-secret" } };
    const { ticket } = await issueTicket({ storage, clock }, wanted);
    const [row] = await storage.read.select().from(streamTickets).where(eq(streamTickets.owner, "ada"));
    const stored = JSON.stringify(row);
    for (const secret of [ticket, "ask-secret", "agent-a"]) expect(stored).not.toContain(secret);
    await expect(redeemTicket({ storage, clock }, row?.hash ?? "", "agent-a")).rejects.toMatchObject(refused);
  });
});
