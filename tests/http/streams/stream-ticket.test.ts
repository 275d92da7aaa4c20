import { expect, test } from "bun:test";
import { createStreamTickets } from "../../../src/http/streams/stream-ticket.ts";
import { FakeClock } from "../../support/fake-clock.ts";

test("a ticket opens what it was issued for, once", () => {
  const tickets = createStreamTickets<{ caller: string; query?: string }>(new FakeClock());
  const { ticket, expires_in } = tickets.issue("agent/a", { caller: "me", query: "hello" });
  expect(expires_in).toBe(30);
  expect(tickets.redeem(ticket, "agent/a")).toEqual({ caller: "me", query: "hello" });
  expect(() => tickets.redeem(ticket, "agent/a")).toThrow("used");
});

test("a ticket that is checked is not used up, also for something else, and expires all the same", async () => {
  const clock = new FakeClock();
  const tickets = createStreamTickets<string>(clock);
  const { ticket } = tickets.issue("agent/a", "me");
  expect(tickets.check(ticket, "agent/a")).toBe("me");
  expect(() => tickets.check(ticket, "agent/b")).toThrow(expect.objectContaining({ kind: "unauthorized" }));
  expect(() => tickets.check("x", "agent/a")).toThrow(expect.objectContaining({ kind: "unauthorized" }));
  expect(tickets.redeem(ticket, "agent/a")).toBe("me");
  expect(() => tickets.check(ticket, "agent/a")).toThrow("used");
  const late = tickets.issue("agent/a", "me");
  await clock.advance(30_000);
  expect(() => tickets.check(late.ticket, "agent/a")).toThrow("expired");
});

test("a ticket tried on something else is used up", () => {
  const tickets = createStreamTickets<null>(new FakeClock());
  const { ticket } = tickets.issue("agent/a", null);
  expect(() => tickets.redeem(ticket, "agent/b")).toThrow();
  expect(() => tickets.redeem(ticket, "agent/a")).toThrow();
});

test("a ticket lasts 30 s", async () => {
  const clock = new FakeClock();
  const tickets = createStreamTickets<null>(clock);
  const [kept, late] = [tickets.issue("a", null), tickets.issue("a", null)];
  await clock.advance(29_999);
  expect(tickets.redeem(kept.ticket, "a")).toBeNull();
  await clock.advance(1);
  expect(() => tickets.redeem(late.ticket, "a")).toThrow();
});

test("unknown tickets are refused, also those named like members of an object", () => {
  const tickets = createStreamTickets<null>(new FakeClock());
  for (const ticket of ["", "constructor", "__proto__"]) {
    expect(() => tickets.redeem(ticket, "a")).toThrow(expect.objectContaining({ kind: "unauthorized" }));
  }
});

test("waiting tickets are bounded, and expired ones make room", async () => {
  const clock = new FakeClock();
  const two = { tickets: 2, characters: 100 };
  const tickets = createStreamTickets<null>(clock, { all: two, own: two });
  tickets.issue("a", null);
  await clock.advance(10_000);
  tickets.issue("a", null);
  expect(() => tickets.issue("a", null)).toThrow(expect.objectContaining({ code: "too_busy" }));
  await clock.advance(20_000);
  expect(tickets.issue("a", null).ticket).toBeString();
});

test("an owner has a share of the room, by number and by size, and using a ticket frees it", () => {
  const all = { tickets: 100, characters: 1000 };
  const tickets = createStreamTickets<null>(new FakeClock(), { all, own: { tickets: 2, characters: 10 } });
  const issue = (owner: string, length: number) => tickets.issue("a", null, { owner, length }).ticket;
  const full = expect.objectContaining({ code: "too_busy" });
  const first = issue("mallory", 1);
  issue("mallory", 1);
  expect(() => issue("mallory", 1)).toThrow(full);
  issue("ada", 9);
  expect(() => issue("ada", 2)).toThrow(full);
  tickets.redeem(first, "a");
  expect(issue("mallory", 9)).toBeString();
});

test("the size of all tickets is bounded", () => {
  const all = { tickets: 100, characters: 25 };
  const tickets = createStreamTickets<null>(new FakeClock(), { all, own: { tickets: 9, characters: 10 } });
  const issue = (owner: string) => tickets.issue("a", null, { owner, length: 10 });
  issue("a");
  issue("b");
  expect(() => issue("c")).toThrow(expect.objectContaining({ code: "too_busy" }));
});
