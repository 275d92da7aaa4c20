import { expect, test } from "bun:test";
import type { RunnableAgent } from "../../../../src/engine/agents/runnable-agent.ts";
import { runDurably } from "../../../../src/engine/approvals/run-durably.ts";
import { newId } from "../../../../src/kit/id.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import { DurableRuns } from "../../../../src/services/daemon/durable-runs/durable-runs.ts";
import type { DurableRunTables } from "../../../../src/services/daemon/durable-runs/schema.ts";
import type { OpenSteps } from "../../../../src/services/daemon/durable-runs/step-writer.ts";
import { readSteps } from "../../../../src/services/daemon/durable-runs/store.ts";
import { tables } from "../../../../src/services/daemon/tables.ts";
import type { Storage } from "../../../../src/storage/storage.ts";
import { FakeClock, settle } from "../../../support/fake-clock.ts";
import { outcome } from "../../../support/refusal.ts";
import {
  asks,
  memoryConversations,
  type Played,
  play,
  type Stage,
  says,
  stage,
} from "../../../support/staged-run.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

/*
 * A process dies at each place where its run waits for something outside: a model, a tool, the conversation. Another process continues the
 * run from what is stored. The run reads (`look`), writes (`pay`), lets an agent write (`clerk` with `book`), and answers.
 */

const never = () => new Promise<never>(() => {});
const key = { tenant: "t", runId: "run-1" };
const fingerprint = () => "same";

/** What the dead and the living share: the outside world. */
interface World {
  storage: Storage<DurableRunTables>;
  memory: ReturnType<typeof memoryConversations>;
  /** What tools did, in order. */
  did: string[];
  asked: number;
}

/** A process that dies at the place number `diesAt`; `places` are those that it came to. */
interface Process {
  runs: DurableRuns;
  on: Stage;
  places: string[];
  steps: OpenSteps | undefined;
  isDead: boolean;
  dead: Promise<void>;
}

function mayRepeat(agent: RunnableAgent | undefined, name: string): void {
  const tool = agent?.tools.get(name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  tool.isRepeatable = () => true;
}

interface Life {
  diesAt?: number;
  /** True if the steps so far are stored at each place; otherwise only what the run waits for. */
  isPrompt?: boolean;
}

function process(world: World, { diesAt = -1, isPrompt = false }: Life = {}): Process {
  const death = Promise.withResolvers<void>();
  const place = async (name: string) => {
    if (self.isDead) await never();
    if (isPrompt) await self.steps?.stored();
    self.places.push(name);
    if (self.places.length - 1 !== diesAt) return;
    self.isDead = true;
    death.resolve();
    await never();
  };
  const acts = (name: string) => ({
    name,
    async execute() {
      await place(`${name} begins`);
      world.did.push(name);
      await place(`${name} has ended`);
      return { success: true, data: `${name} done` } as const;
    },
  });
  const modelOf = (who: string, turns: readonly (readonly string[])[], answer: string) =>
    async function* ({ messages }: { messages: readonly { role: string }[] }) {
      const asked = messages.findLastIndex(({ role }) => role === "user");
      const turn = messages.slice(asked).filter(({ role }) => role === "assistant").length;
      await place(`${who} is asked (${turn})`);
      world.asked++;
      const calls = turns[turn];
      yield* calls === undefined
        ? says(answer)
        : asks("", ...calls.map((name) => ({ id: name, name, input: { query: "q" } })));
    };
  const { memory } = world;
  const on = stage({
    spec: { tools: [{ name: "clerk", type: "agent", config: { agent: "clerk" } }] },
    calls: [modelOf("main", [["look", "pay"], ["clerk"]], "Done.")],
    tools: [acts("look"), acts("pay")],
    agents: { clerk: { calls: [modelOf("clerk", [["book"]], "Booked.")], tools: [acts("book")] } },
    memory: {
      ...memory,
      async append(of, turns) {
        await place(`the turns of ${of.agent} are stored`);
        await memory.append(of, turns);
        await place(`the turns of ${of.agent} are stored already`);
      },
    },
  });
  mayRepeat(on.agent, "look");
  const storage: World["storage"] = {
    ...world.storage,
    transact: async (run, options) => {
      if (self.isDead) return never();
      return world.storage.transact(run, options);
    },
  };
  const runs = new DurableRuns({
    storage,
    sealer: undefined,
    clock: new FakeClock(),
    log: silentLogger,
    stopping: new AbortController().signal,
  });
  const self: Process = { runs, on, places: [], steps: undefined, isDead: false, dead: death.promise };
  return self;
}

async function begin(self: Process): Promise<Played | undefined> {
  self.steps = self.runs.begin(key, fingerprint);
  const going = play(runDurably(self.on.ports, self.on.agent, self.on.requestOf(), self.steps));
  return Promise.race([going, self.dead.then(() => undefined)]);
}

/** Continues the run; undefined for a process that dies, the tools of unknown outcome if it can't. */
async function goOn(self: Process): Promise<Played | { unknown: readonly string[] } | undefined> {
  const { steps, unknown, used } = await self.runs.takeOver(key, fingerprint);
  if (unknown.length > 0) return { unknown };
  self.steps = steps;
  const { ports, agent } = self.on;
  const about = { tenant: "t", agent: "staged", sessionId: "s", pattern: "react", latencyMs: 0 };
  ports.usage.record(used.map((call) => ({ ...about, at: self.on.clock.now(), ...call })));
  const going = play(runDurably(ports, agent, self.on.requestOf(), steps));
  return Promise.race([going, self.dead.then(() => undefined)]);
}

const count = (did: readonly string[], name: string) => did.filter((one) => one === name).length;
const modelCalls = 5;

onEachEngine("a durable run whose process dies", (engine) => {
  const worldOf = (storage: World["storage"]): World => ({
    storage,
    memory: memoryConversations(),
    did: [],
    asked: 0,
  });

  test("keeps nothing if it ends before its steps are written", async () => {
    await using storage = await engine.open({ service: "daemon", tables });
    const self = process(worldOf(storage));
    // Before each call that writes, the steps so far are stored; here is none.
    mayRepeat(self.on.agent, "pay");
    mayRepeat(self.on.ports.findAgent("t", "clerk"), "book");
    expect((await begin(self))?.result?.response).toBe("Done.");
    await self.steps?.close();
    expect(self.steps?.isKept).toBe(false);
    expect(await readSteps(storage, key)).toEqual([]);
  });

  test.each([true, false])(
    "ends with one answer, or names the tool of unknown outcome, wherever it dies (prompt: %j)",
    async (isPrompt) => {
      for (let diesAt = 0; ; diesAt++) {
        await using storage = await engine.open({ service: "daemon", tables });
        const world = worldOf(storage);
        const first = process(world, { diesAt, isPrompt });
        const before = await begin(first);
        if (before !== undefined) {
          expect(before.result?.response).toBe("Done.");
          expect(diesAt).toBe(first.places.length);
          break;
        }
        const at = first.places.at(-1) ?? "";
        const second = process(world);
        const after = await goOn(second);
        const told = { at, did: world.did };
        // What reads may be done twice.
        for (const name of ["pay", "book"])
          expect({ ...told, [name]: count(world.did, name) <= 1 }).toEqual({ ...told, [name]: true });
        if (after !== undefined && "unknown" in after) {
          const tool = /^(pay|book) (begins|has ended)$/.exec(at)?.[1];
          // Both calls of a turn begin together.
          expect({ at, unknown: after.unknown }).toEqual({ at, unknown: [tool ?? "pay"] });
          if (tool === undefined) expect(at).toMatch(/^look/);
          continue;
        }
        expect({ at, response: after?.result?.response }).toEqual({ at, response: "Done." });
        expect({ at, did: [...new Set(world.did)].sort() }).toEqual({ at, did: ["book", "look", "pay"] });
        expect({ at, turns: (await second.on.turns()).map(({ content }) => content) }).toEqual({
          at,
          turns: ["hi", "Done."],
        });
        expect({ at, turns: (await second.on.turns("s", "clerk")).length }).toEqual({ at, turns: 2 });
        // Every call is counted once, also those that the dead process made.
        expect({ at, calls: second.on.usage.length }).toEqual({ at, calls: modelCalls });
      }
    },
  );

  test("continues after several deaths", async () => {
    await using storage = await engine.open({ service: "daemon", tables });
    const world = worldOf(storage);
    const died: string[] = [];
    for (const diesAt of [5, 0, 4, 4]) {
      const self = process(world, { diesAt, isPrompt: true });
      expect(await (died.length === 0 ? begin(self) : goOn(self))).toBeUndefined();
      died.push(self.places.at(-1) ?? "");
    }
    expect(died).toEqual([
      "main is asked (1)",
      "main is asked (1)",
      "clerk is asked (1)",
      "the turns of staged are stored",
    ]);
    expect(await goOn(process(world))).toMatchObject({ result: { response: "Done." } });
    expect(world.did.filter((name) => name !== "look")).toEqual(["pay", "book"]);
  });

  test("can't call a tool that writes if it was only paused and another process continues it: 409", async () => {
    await using storage = await engine.open({ service: "daemon", tables });
    const world = worldOf(storage);
    const gate = Promise.withResolvers<void>();
    const paused = process(world);
    const { memory } = paused.on.agent;
    const { store } = memory;
    memory.store = {
      ...store,
      async recent(...asked) {
        await gate.promise;
        return store.recent(...asked);
      },
    };
    const going = begin(paused);
    await settle();
    expect(await goOn(process(world))).toMatchObject({ result: { response: "Done." } });
    gate.resolve();
    expect(await going).toMatchObject({ thrown: { code: "run_taken_over", status: 409 } });
    expect(world.did.filter((name) => name !== "look")).toEqual(["pay", "book"]);
  });

  test("begins anew with another agent or program, unless it has called a tool that writes: 409", async () => {
    await using storage = await engine.open({ service: "daemon", tables });
    const world = worldOf(storage);
    const first = process(world, { diesAt: 0, isPrompt: true });
    expect(await begin(first)).toBeUndefined();
    const other = await process(world).runs.takeOver(key, () => "other");
    expect([other.unknown, other.steps.earlier, other.used]).toEqual([[], [], []]);

    const acted = process(worldOf(storage), { diesAt: 5, isPrompt: true });
    const own = { tenant: "t", runId: newId() };
    acted.steps = acted.runs.begin(own, fingerprint);
    const going = play(runDurably(acted.on.ports, acted.on.agent, acted.on.requestOf(), acted.steps));
    await Promise.race([going, acted.dead]);
    expect(acted.places.at(-1)).toBe("main is asked (1)");
    expect(await outcome(process(world).runs.takeOver(own, () => "other"))).toMatchObject({
      code: "agent_changed",
      status: 409,
    });
  });

  test("its steps are another tenant's nothing, and go when they are forgotten", async () => {
    await using storage = await engine.open({ service: "daemon", tables });
    const world = worldOf(storage);
    const first = process(world, { diesAt: 6, isPrompt: true });
    expect(await begin(first)).toBeUndefined();
    const { runs } = process(world);
    const foreign = await runs.takeOver({ ...key, tenant: "u" }, fingerprint);
    expect([foreign.unknown, foreign.steps.earlier]).toEqual([[], []]);
    await runs.forget([{ ...key, tenant: "u" }]);
    expect((await readSteps(storage, key)).length).toBeGreaterThan(0);
    await runs.forget([key]);
    expect(await readSteps(storage, key)).toEqual([]);
  });
});
