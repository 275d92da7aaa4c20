import { expect, test } from "bun:test";
import type { McpSession } from "../../../../src/services/daemon/mcp/open-session.ts";
import { SessionRegistry } from "../../../../src/services/daemon/mcp/session-registry.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

function setUp() {
  const clock = new FakeClock();
  const registry = new SessionRegistry(clock, { sessionsMax: 2, idleMs: 1000 });
  const opened = new Set<string>();
  const open = (id: string, owner = "ann"): McpSession => {
    const close = async () => {
      opened.delete(id);
      registry.remove(id);
    };
    const session = { id, close } as McpSession;
    opened.add(id);
    registry.add(session, owner);
    return session;
  };
  const ids = () => [...opened];
  return { clock, registry, open, ids };
}

test("a session is found by its owner alone", () => {
  const { registry, open } = setUp();
  const session = open("one");
  expect(registry.get("one", "ann")).toBe(session);
  expect(() => registry.get("one", "bob")).toThrow("There is no such MCP session");
  expect(() => registry.get("two", "ann")).toThrow("There is no such MCP session");
  expect(() => registry.get(null, "ann")).toThrow("Mcp-Session-Id");
});

test("the idle session that was used longest ago makes room; without one it is 503", async () => {
  const { registry, open, ids } = setUp();
  const one = open("one");
  open("two");
  registry.use(one)();
  await registry.makeRoom();
  expect(ids()).toEqual(["one"]);
  const release = registry.use(one);
  open("three");
  await registry.makeRoom();
  expect(ids()).toEqual(["one"]);
  registry.use(open("four"));
  await expect(registry.makeRoom()).rejects.toMatchObject({ code: "too_busy", status: 503 });
  release();
  await registry.makeRoom();
  expect(ids()).toEqual(["four"]);
});

test("an idle session expires; one in use, even twice, doesn't; no timer is left", async () => {
  const { clock, registry, open, ids } = setUp();
  const one = open("one");
  open("two");
  const first = registry.use(one);
  const second = registry.use(one);
  await clock.advance(1000);
  expect(ids()).toEqual(["one"]);
  first();
  first();
  await clock.advance(5000);
  expect(ids()).toEqual(["one"]);
  second();
  await clock.advance(999);
  expect(ids()).toEqual(["one"]);
  await clock.advance(1);
  expect(ids()).toEqual([]);
  expect(clock.pending).toBe(0);
});

test("a use that outlives its session starts nothing", async () => {
  const { clock, registry, open } = setUp();
  const one = open("one");
  const release = registry.use(one);
  registry.remove("one");
  open("one", "bob");
  release();
  expect(clock.pending).toBe(1);
  registry.remove("one");
  expect(registry.use(one)).toBeFunction();
  expect(clock.pending).toBe(0);
});
