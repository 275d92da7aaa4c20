import { describe, expect, test } from "bun:test";
import type { MeshEntry } from "../../src/contracts/daemon/mesh.ts";
import { placeRun } from "../../src/mesh/placement.ts";

const node = (id: string, over: Partial<MeshEntry> = {}): MeshEntry => ({
  node_id: id,
  address: `${id}:8000`,
  state: "alive",
  heartbeat: 1,
  incarnation: 1,
  agents: ["support"],
  active_requests: 0,
  ...over,
});

const ids = (nodes: readonly MeshEntry[]) => nodes.map(({ node_id: id }) => id);

describe("a run that any node can take", () => {
  const run = { agent: "support", boundSession: undefined };
  test.each<[string, MeshEntry[], string[]]>([
    [
      "goes to the least busy",
      [node("a", { active_requests: 2 }), node("b"), node("c", { active_requests: 1 })],
      ["b", "c", "a"],
    ],
    ["stays here on a tie", [node("a"), node("b"), node("c")], ["b", "a", "c"]],
    ["avoids a suspect", [node("a", { state: "suspect" }), node("c", { active_requests: 99 })], ["c", "a"]],
    [
      "never goes to a dead node or one without the agent",
      [node("a", { state: "dead" }), node("c", { agents: [] })],
      [],
    ],
  ])("%s", (_, nodes, expected) => {
    expect(ids(placeRun(run, nodes, "b"))).toEqual(expected);
  });
});

describe("a session that one node keeps", () => {
  const nodes = ["a", "b", "c", "d"].map((id) => node(id));
  const place = (session: string, among: readonly MeshEntry[], self = "a") =>
    ids(placeRun({ agent: "support", boundSession: session }, among, self))[0];
  const sessions = Array.from({ length: 1_000 }, (_, index) => `session-${index}`);

  test("every node sends it to the same one, however busy", () => {
    for (const session of sessions.slice(0, 50)) {
      const busy = nodes
        .toReversed()
        .map((each) => ({ ...each, active_requests: each.node_id.charCodeAt(0) }));
      expect(place(session, busy, "c")).toBe(place(session, nodes) as string);
    }
  });

  test("sessions spread evenly, and only those of a node that goes move", () => {
    const before = sessions.map((session) => place(session, nodes));
    for (const id of ["a", "b", "c", "d"]) {
      const share = before.filter((at) => at === id).length;
      expect(share).toBeGreaterThan(200);
      expect(share).toBeLessThan(300);
    }
    const without = nodes.filter(({ node_id: id }) => id !== "c");
    const moved = sessions.filter((session, index) => place(session, without) !== before[index]);
    expect(moved.length).toBe(before.filter((at) => at === "c").length);
  });
});
