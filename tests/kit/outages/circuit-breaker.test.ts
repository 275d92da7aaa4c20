import { describe, expect, test } from "bun:test";
import {
  admits,
  type Circuit,
  closedCircuit,
  defaultCircuitSettings as settings,
  step,
} from "../../../src/kit/outages/circuit-breaker.ts";

type Ending = "succeeded" | "failed" | "released";

/** `ask` admits or refuses a call; `a:failed` ends the call named a; a number advances the time in seconds. */
type Move = `ask ${string}` | `${string}:${Ending}` | number;

/** Plays moves; returns the answer to each ask and the final phase. */
function play(moves: readonly Move[]): string {
  let circuit: Circuit = closedCircuit;
  let nowMs = 0;
  const epochs = new Map<string, number>();
  const said: string[] = [];
  for (const move of moves) {
    if (typeof move === "number") {
      nowMs += move * 1000;
    } else if (move.startsWith("ask ")) {
      const passes = admits(circuit, nowMs);
      circuit = step(circuit, { type: "asked" }, nowMs, settings);
      if (passes) epochs.set(move.slice(4), circuit.epoch);
      said.push(passes ? "passes" : "refused");
    } else {
      const [call = "", ending] = move.split(":");
      circuit = step(circuit, { type: ending as Ending, epoch: epochs.get(call) ?? -1 }, nowMs, settings);
    }
  }
  return [...said, circuit.phase].join(" ");
}

const opened: Move[] = ["ask a", "a:failed", "ask b", "b:failed", "ask c", "c:failed"];
const openedSaid = "passes passes passes";

describe("the circuit", () => {
  const table: [name: string, moves: Move[], said: string][] = [
    [
      "two failures leave it closed",
      ["ask a", "a:failed", "ask b", "b:failed", "ask c"],
      "passes passes passes closed",
    ],
    ["three in a row open it", [...opened, "ask d"], `${openedSaid} refused open`],
    [
      "a success between them starts the count anew",
      [
        "ask a",
        "a:failed",
        "ask b",
        "b:failed",
        "ask c",
        "c:succeeded",
        "ask d",
        "d:failed",
        "ask e",
        "e:failed",
      ],
      "passes passes passes passes passes closed",
    ],
    [
      "calls side by side count as well as one after the other",
      ["ask a", "ask b", "ask c", "a:failed", "b:failed", "c:failed"],
      "passes passes passes open",
    ],
    [
      "an end without a verdict counts neither way",
      ["ask a", "a:failed", "ask b", "b:released", "ask c", "c:failed", "ask d", "d:failed"],
      "passes passes passes passes open",
    ],
    ["it stays open until 60 s have passed", [...opened, 59.999, "ask d"], `${openedSaid} refused open`],
    [
      "after 60 s one passes, and only one",
      [...opened, 60, "ask d", "ask e", "ask f"],
      `${openedSaid} passes refused refused half_open`,
    ],
    [
      "while the probe takes less than a cool-down",
      [...opened, 60, "ask d", 59.999, "ask e"],
      `${openedSaid} passes refused half_open`,
    ],
    [
      "a probe that never ends loses its place, and its late end counts neither way",
      [...opened, 60, "ask d", 60, "ask e", "d:failed", "ask f", "e:succeeded", "ask g"],
      `${openedSaid} passes passes refused passes closed`,
    ],
    [
      "the probe's success closes it",
      [...opened, 60, "ask d", "d:succeeded", "ask e"],
      `${openedSaid} passes passes closed`,
    ],
    [
      "the probe's failure opens it for 60 s more",
      [...opened, 60, "ask d", "d:failed", 59, "ask e", 1, "ask f"],
      `${openedSaid} passes refused passes half_open`,
    ],
    [
      "a probe without a verdict leaves the next to be the probe",
      [...opened, 60, "ask d", "d:released", "ask e", "ask f"],
      `${openedSaid} passes passes refused half_open`,
    ],
    [
      "closed again, it takes three failures to open",
      [...opened, 60, "ask d", "d:succeeded", "ask e", "e:failed", "ask f", "f:failed"],
      `${openedSaid} passes passes passes closed`,
    ],
    [
      "a late success of before the opening does not close it",
      ["ask z", ...opened, "z:succeeded", "ask d"],
      `passes ${openedSaid} refused open`,
    ],
    [
      "a late failure of before does not prolong the opening",
      ["ask z", ...opened, 59, "z:failed", 1, "ask d"],
      `passes ${openedSaid} passes half_open`,
    ],
    [
      "a late success of before does not end the probation",
      ["ask z", ...opened, 60, "ask d", "z:succeeded", "ask e"],
      `passes ${openedSaid} passes refused half_open`,
    ],
    [
      "late failures of before do not count when it is closed again",
      [
        "ask x",
        "ask y",
        "ask z",
        ...opened,
        60,
        "ask d",
        "d:succeeded",
        "x:failed",
        "y:failed",
        "z:failed",
        "ask e",
      ],
      `passes passes passes ${openedSaid} passes passes closed`,
    ],
    [
      "a second report of the probe changes nothing",
      [...opened, 60, "ask d", "d:failed", "d:succeeded", "ask e"],
      `${openedSaid} passes refused open`,
    ],
  ];
  test.each(table)("%s", (_name, moves, said) => {
    expect(play(moves)).toBe(said);
  });

  test("does not change what it is given", () => {
    const before: Circuit = Object.freeze({ phase: "closed", epoch: 4, failures: 2 });
    expect(step(before, { type: "failed", epoch: 4 }, 0, settings)).toEqual({
      phase: "open",
      epoch: 5,
      probeDueAtMs: 60_000,
    });
  });
});

/** A second implementation of the same rules: by running calls and times, with objects instead of epochs. */
class ReferenceCircuit {
  #openedAtMs: number | undefined;
  #failuresInARow = 0;
  #probe: object | undefined;
  #probeSinceMs = 0;
  #begunSinceClosing = new Set<object>();

  ask(nowMs: number): object | undefined {
    const call = {};
    if (this.#openedAtMs === undefined) {
      this.#begunSinceClosing.add(call);
      return call;
    }
    if (nowMs - (this.#probe ? this.#probeSinceMs : this.#openedAtMs) < 60_000) return undefined;
    this.#probe = call;
    this.#probeSinceMs = nowMs;
    return call;
  }

  end(call: object, ending: Ending, nowMs: number): void {
    if (call === this.#probe) {
      this.#probe = undefined;
      if (ending === "failed") this.#openedAtMs = nowMs;
      if (ending === "succeeded") {
        this.#openedAtMs = undefined;
        this.#failuresInARow = 0;
      }
    } else if (this.#begunSinceClosing.has(call)) {
      if (ending === "succeeded") this.#failuresInARow = 0;
      if (ending === "failed" && ++this.#failuresInARow === 3) {
        this.#openedAtMs = nowMs;
        this.#begunSinceClosing = new Set();
      }
    }
  }

  get phase(): Circuit["phase"] {
    return this.#openedAtMs === undefined ? "closed" : this.#probe ? "half_open" : "open";
  }
}

test("agrees with a reference automaton over 100,000 random events, some of them late", () => {
  const random = seeded(20_260_101);
  const reference = new ReferenceCircuit();
  let circuit: Circuit = closedCircuit;
  let nowMs = 0;
  let underWay: { epoch: number; call: object }[] = [];
  const seen = { closed: 0, open: 0, half_open: 0 };
  for (let event = 0; event < 100_000; event++) {
    nowMs += Math.floor(random() * (random() < 0.02 ? 90_000 : 2000));
    if (random() < 0.5 || underWay.length === 0) {
      const passes = admits(circuit, nowMs);
      circuit = step(circuit, { type: "asked" }, nowMs, settings);
      const call = reference.ask(nowMs);
      if (passes !== (call !== undefined)) throw new Error(`event ${event}: admitted differently`);
      if (call) underWay.push({ epoch: circuit.epoch, call });
    } else {
      const at = Math.floor(random() * underWay.length);
      const [ended] = underWay.splice(at, 1);
      if (!ended) continue;
      const luck = random();
      const ending: Ending = luck < 0.55 ? "failed" : luck < 0.9 ? "succeeded" : "released";
      circuit = step(circuit, { type: ending, epoch: ended.epoch }, nowMs, settings);
      reference.end(ended.call, ending, nowMs);
    }
    if (underWay.length > 50) underWay = underWay.slice(-50);
    if (circuit.phase !== reference.phase)
      throw new Error(`event ${event}: ${circuit.phase}, not ${reference.phase}`);
    seen[circuit.phase]++;
  }
  // Otherwise the walk would have proved nothing.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(1000);
});

/** Mulberry32: the same numbers on every machine. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
