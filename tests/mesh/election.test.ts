import { expect, test } from "bun:test";
import {
  type Election,
  type ElectionInput,
  isNews,
  stepElection,
  type View,
} from "../../src/mesh/election.ts";

const at = (over: Partial<Election> = {}): Election => ({ term: 3, leader: null, askAgainAt: 0, ...over });
const view = (over: Partial<View> = {}): View => ({
  self: "b",
  tick: 10,
  living: ["a", "b", "c"],
  hasMajority: true,
  ...over,
});

const highest = view({ living: ["a", "b"] });
const announce = { type: "announce", term: 4 } as const;

test.each<[string, Election, ElectionInput, View, Partial<Election>, unknown[]]>([
  [
    "asks the higher ones without a leader",
    at(),
    { type: "tick" },
    view(),
    { leader: null, askAgainAt: 13 },
    [{ type: "ask", nodes: ["c"] }],
  ],
  ["waits for them", at({ askAgainAt: 13 }), { type: "tick" }, view(), { leader: null }, []],
  ["is content with a living leader", at({ leader: "c" }), { type: "tick" }, view(), { leader: "c" }, []],
  [
    "leaves it to the highest to replace a lower leader",
    at({ leader: "a" }),
    { type: "tick" },
    view(),
    { leader: "a" },
    [],
  ],
  ["takes over as the highest", at(), { type: "tick" }, highest, { leader: "b", term: 4 }, [announce]],
  [
    "waits, as the highest, until a living leader steps down",
    at({ leader: "a" }),
    { type: "tick" },
    highest,
    { leader: "a", term: 3 },
    [],
  ],
  [
    "steps down when it sees a higher one",
    at({ leader: "b" }),
    { type: "tick" },
    view(),
    { leader: null, term: 4 },
    [],
  ],
  [
    "takes over when the leader died",
    at({ leader: "c" }),
    { type: "tick" },
    highest,
    { leader: "b", term: 4 },
    [announce],
  ],
  [
    "knows no leader without a majority",
    at({ leader: "b" }),
    { type: "tick" },
    view({ hasMajority: false }),
    { leader: null, term: 3 },
    [],
  ],
  [
    "takes over when a lower one asks",
    at(),
    { type: "election", sender: "a" },
    highest,
    { leader: "b", term: 4 },
    [announce],
  ],
  [
    "stays the leader when a lower one asks",
    at({ leader: "b" }),
    { type: "election", sender: "a" },
    highest,
    { leader: "b", term: 3 },
    [],
  ],
  [
    "leaves it to a higher one",
    at({ leader: "c" }),
    { type: "election", sender: "a" },
    view(),
    { leader: "c", term: 3 },
    [],
  ],
  [
    "does not bow to a higher one that asks",
    at(),
    { type: "election", sender: "c" },
    highest,
    { leader: null, term: 3 },
    [],
  ],
  [
    "follows a newer term",
    at({ leader: "c" }),
    { type: "coordinator", leader: "a", term: 4 },
    view(),
    { leader: "a", term: 4 },
    [],
  ],
  [
    "follows the higher one of a term",
    at({ leader: "a" }),
    { type: "coordinator", leader: "c", term: 3 },
    view(),
    { leader: "c", term: 3 },
    [],
  ],
  [
    "ignores the lower one of a term",
    at({ leader: "c" }),
    { type: "coordinator", leader: "a", term: 3 },
    view(),
    { leader: "c", term: 3 },
    [],
  ],
  [
    "ignores an old term",
    at({ leader: "a" }),
    { type: "coordinator", leader: "c", term: 2 },
    view(),
    { leader: "a", term: 3 },
    [],
  ],
  [
    "notes the term of a leader it can't see",
    at({ leader: "a" }),
    { type: "coordinator", leader: "z", term: 9 },
    view(),
    { leader: null, term: 9 },
    [],
  ],
  [
    "leads no longer in a term that others have left behind",
    at({ leader: "b" }),
    { type: "leaderless", term: 7 },
    highest,
    { leader: null, term: 7 },
    [],
  ],
  [
    "goes on in a term that others have too",
    at({ leader: "b" }),
    { type: "leaderless", term: 3 },
    highest,
    { leader: "b" },
    [],
  ],
  [
    "follows nobody in a minority",
    at(),
    { type: "coordinator", leader: "c", term: 9 },
    view({ hasMajority: false }),
    { leader: null, term: 9 },
    [],
  ],
])("a node %s", (_, state, input, seen, expected, effects) => {
  const step = stepElection(state, input, seen);
  expect(step.state).toMatchObject(expected);
  expect(step.effects).toEqual(effects as never);
});

test("an announcement repeated is news, one of an old term is not", () => {
  const state = at({ leader: "b" });
  expect(isNews(state, { leader: "b", term: 3 })).toBe(true);
  expect(isNews(state, { leader: "a", term: 3 })).toBe(false);
  expect(isNews(state, { leader: "c", term: 2 })).toBe(false);
});
