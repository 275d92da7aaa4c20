import { describe, expect, test } from "bun:test";
import { noticesFor } from "../../../src/console/gateway/inbox/notices.ts";
import { withCount } from "../../../src/console/gateway/inbox/use-title-badge.ts";
import type { GatewayEvent } from "../../../src/contracts/gateway/events.ts";

const notice = (id: string, change: GatewayEvent["change"], people: string[]): GatewayEvent => ({
  at: "2026-01-01T12:00:00.000Z",
  about: "notice",
  change,
  id,
  people,
  conversation_id: "c1",
});
const idsFor = (person: string | undefined, ...events: GatewayEvent[]) =>
  noticesFor(events, person, new Set()).map(({ id }) => id);

describe("a person at the desk is told", () => {
  test("what concerns the whole desk, and what names them", () => {
    const events = [
      notice("1", "needs_person", []),
      notice("2", "message", ["Ana Muñoz"]),
      notice("3", "mention", ["ana"]),
      notice("4", "message", ["Bob"]),
    ];
    expect(idsFor("Ana Muñoz", ...events)).toEqual(["1", "2", "3"]);
    expect(idsFor(undefined, ...events)).toEqual(["1"]);
  });

  test("nothing that is no notice", () => {
    const { id: _, ...without } = notice("1", "message", []);
    expect(idsFor("Ana", without, { ...notice("2", "message", []), about: "conversation" })).toEqual([]);
  });

  test("each notice once, though the stream repeats it", () => {
    const seen = new Set<string>();
    const event = notice("1", "needs_person", []);
    expect(noticesFor([event, event], "Ana", seen)).toHaveLength(1);
    expect(noticesFor([event], "Ana", seen)).toEqual([]);
    const many = Array.from({ length: 600 }, (_, at) => notice(`n${at}`, "needs_person", []));
    expect(noticesFor(many, "Ana", seen)).toHaveLength(600);
    expect(seen.size).toBe(500);
  });
});

test("the window's title has the count before it, once", () => {
  expect(withCount("Inbox · Argosy", 3)).toBe("(3) Inbox · Argosy");
  expect(withCount("(3) Inbox · Argosy", 120)).toBe("(99+) Inbox · Argosy");
  expect(withCount("(99+) Inbox · Argosy", 0)).toBe("Inbox · Argosy");
});
