import { describe, expect, test } from "bun:test";
import type { MeshEntry } from "../../src/contracts/daemon/mesh.ts";
import {
  hasMajority,
  type Membership,
  type MembershipInput,
  newMembership,
  stepMembership,
  toldEntries,
} from "../../src/mesh/membership.ts";

const settings = {
  suspectTicks: 5,
  deadTicks: 15,
  forgetTicks: 120,
  seedTicks: 0,
  pauseMs: 5_000,
  nodesMax: 4,
};

const entry = (id: string, over: Partial<MeshEntry> = {}): MeshEntry => ({
  node_id: id,
  address: `${id}:8000`,
  state: "alive",
  heartbeat: 1,
  incarnation: 1,
  agents: [],
  active_requests: 0,
  ...over,
});

const tick = (lateMs = 0): MembershipInput => ({ type: "tick", lateMs, agents: [], activeRequests: 0 });
const told = (...entries: MeshEntry[]): MembershipInput => ({ type: "told", entries });

function given(...inputs: MembershipInput[]): Membership {
  return inputs.reduce(
    (state, input) => stepMembership(state, input).state,
    newMembership(entry("a", { heartbeat: 0 }), settings),
  );
}

const ticks = (count: number, lateMs = 0) => Array.from({ length: count }, () => tick(lateMs));
const seen = (state: Membership, id = "b") => state.others.get(id)?.entry;

describe("silence", () => {
  test.each([
    [4, "alive"],
    [5, "suspect"],
    [14, "suspect"],
    [15, "dead"],
    [134, "dead"],
    [135, undefined],
  ])("after %p ticks without news a node is %p", (count, expected) => {
    expect(seen(given(told(entry("b")), ...ticks(count)))?.state).toBe(expected as MeshEntry["state"]);
  });

  test("a late tick makes this node wait twice as long, however late it was", () => {
    expect(seen(given(told(entry("b")), tick(60_000), ...ticks(8)))?.state).toBe("alive");
    expect(seen(given(told(entry("b")), tick(60_000), ...ticks(9)))?.state).toBe("suspect");
    expect(seen(given(told(entry("b")), tick(1_000), ...ticks(4)))?.state).toBe("suspect");
  });

  test("a dead node returns by a counter that grows", () => {
    const dead = [told(entry("b")), ...ticks(20)];
    expect(seen(given(...dead, told(entry("b", { heartbeat: 1 }))))?.state).toBe("dead");
    expect(seen(given(...dead, told(entry("b", { heartbeat: 2 }))))?.state).toBe("alive");
  });
});

describe("a message about another node", () => {
  const b = entry("b", { heartbeat: 9, incarnation: 2 });
  test.each<[string, MeshEntry, Partial<MeshEntry>]>([
    ["an old counter is not news", entry("b", { heartbeat: 8, incarnation: 2, active_requests: 7 }), b],
    ["an old life is not news", entry("b", { heartbeat: 99, incarnation: 1, active_requests: 7 }), b],
    ["a new life is", entry("b", { heartbeat: 0, incarnation: 3 }), { heartbeat: 0, incarnation: 3 }],
    [
      "a suspicion with a higher counter is a sign of life",
      { ...b, heartbeat: 10, state: "suspect" },
      { state: "alive" },
    ],
    ["a farewell is believed", { ...b, state: "dead", has_left: true }, { state: "dead", has_left: true }],
    ["a living node keeps its address", { ...b, incarnation: 3, address: "evil:1" }, { address: "b:8000" }],
  ])("%s", (_, news, expected) => {
    expect(seen(given(told(b), told(news)))).toMatchObject(expected);
  });

  test("a node that left stays away until its next life", () => {
    const gone = [told(b), told({ ...b, state: "dead", has_left: true })];
    expect(seen(given(...gone, told({ ...b, heartbeat: 99 })))?.state).toBe("dead");
    expect(seen(given(...gone, told({ ...b, incarnation: 3, address: "c:1" })))).toMatchObject({
      state: "alive",
      address: "c:1",
    });
  });

  test("a name that another address uses is reported", () => {
    const state = given(told(b));
    const { effects } = stepMembership(state, told({ ...b, incarnation: 3, address: "evil:1" }));
    expect(effects).toEqual([{ type: "name_taken", nodeId: "b", address: "evil:1" }]);
  });

  test("a silent node may come back at another address", () => {
    const moved = { ...b, incarnation: 3, address: "b2:8000" };
    expect(seen(given(told(b), ...ticks(5), told(moved)))).toMatchObject({
      address: "b2:8000",
      state: "alive",
    });
  });

  test("a dead stranger is not taken in, and no more nodes than allowed", () => {
    expect(seen(given(told(entry("b", { state: "dead" }))))).toBeUndefined();
    expect([...given(told(...["b", "c", "d", "e", "f"].map((id) => entry(id)))).others.keys()]).toEqual([
      "b",
      "c",
      "d",
    ]);
  });

  test("what stood still is not passed on, farewells are", () => {
    const state = given(told(entry("b"), entry("c", { state: "dead", has_left: true })), ...ticks(15));
    expect(toldEntries(state).map(({ node_id: id }) => id)).toEqual(["a", "c"]);
  });
});

describe("a message about this node", () => {
  test.each<[string, Partial<MeshEntry>, number]>([
    ["its own words change nothing", { heartbeat: 3 }, 1],
    ["a higher counter comes from an earlier process", { heartbeat: 40 }, 2],
    ["a later life comes from an earlier process", { incarnation: 7 }, 8],
    ["a farewell is refuted", { state: "dead", has_left: true }, 2],
    ["an old farewell is not worth a word", { incarnation: 0, state: "dead", has_left: true }, 1],
  ])("%s", (_, news, incarnation) => {
    expect(given(...ticks(3), told(entry("a", news))).own.incarnation).toBe(incarnation);
  });

  test("a node that left does not refute its farewell", () => {
    const state = given({ type: "leave" }, told(entry("a", { state: "dead", has_left: true })));
    expect(state.own).toMatchObject({ incarnation: 1, has_left: true });
  });
});

describe("majority", () => {
  const settled = [told(entry("b"), entry("c"), entry("d")), tick()];
  test("half of the agreed members is none", () => {
    const keep = (...ids: string[]) => [
      ...Array.from({ length: 15 }, (_, at) => [
        tick(),
        told(...ids.map((id) => entry(id, { heartbeat: at + 2 }))),
      ]).flat(),
    ];
    expect(hasMajority(given(...settled, ...keep("b", "c")))).toBe(true);
    expect(hasMajority(given(...settled, ...keep("b")))).toBe(false);
  });

  test("a minority stays one when it has forgotten the others, and those that left don't count", () => {
    expect(hasMajority(given(...settled, ...ticks(200)))).toBe(false);
    const farewells = ["b", "c", "d"].map((nodeId): MembershipInput => ({ type: "left", nodeId }));
    expect(hasMajority(given(...settled, ...farewells, tick()))).toBe(true);
  });

  test("suspects don't count, and nobody does that was heard of before a pause", () => {
    expect(hasMajority(given(...settled, ...ticks(3)))).toBe(true);
    expect(hasMajority(given(...settled, ...ticks(4)))).toBe(false);
    const paused = [...settled, tick(5_000)];
    expect(hasMajority(given(...paused))).toBe(false);
    const heard = told(entry("b", { heartbeat: 2 }), entry("c", { heartbeat: 2 }));
    expect(hasMajority(given(...paused, heard))).toBe(true);
  });
});
