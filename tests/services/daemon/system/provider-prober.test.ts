import { expect, test } from "bun:test";
import type { RunnableAgent } from "../../../../src/engine/agents/runnable-agent.ts";
import { createBreakers } from "../../../../src/engine/models/breakers.ts";
import type { Model } from "../../../../src/engine/models/model.ts";
import { AgentCatalog } from "../../../../src/services/daemon/agents/agent-catalog.ts";
import { openPausedAgents } from "../../../../src/services/daemon/agents/paused-agents.ts";
import { providerProber } from "../../../../src/services/daemon/system/provider-prober.ts";
import { FakeClock } from "../../../support/fake-clock.ts";

/** A catalog of agents that each call one model, and the times at which their servers were probed. */
function catalogOf(clock: FakeClock, agents: { server: string; interval: number; answers: () => boolean }[]) {
  const asked: { server: string; atMs: number }[] = [];
  const startMs = clock.monotonicMs();
  const catalog = new AgentCatalog(openPausedAgents(undefined));
  catalog.replace(
    agents.map(({ server, interval, answers }, index) => {
      const model = {
        provider: server,
        endpoint: `http://${server}`,
        async probe() {
          asked.push({ server, atMs: clock.monotonicMs() - startMs });
          if (!answers()) throw new Error("refused");
        },
      } as unknown as Model;
      const manifest = { spec: { model: { routing: { health_check_interval: interval } } } };
      const agent = { candidates: [model], manifest } as unknown as RunnableAgent;
      return { name: `agent-${index}`, agent, sources: [] };
    }),
  );
  return { catalog, asked };
}

test("each server is asked at its shortest interval, and its health follows the answers", async () => {
  const clock = new FakeClock();
  let isUp = true;
  const { catalog, asked } = catalogOf(clock, [
    { server: "one", interval: 30, answers: () => isUp },
    { server: "one", interval: 10, answers: () => isUp },
    { server: "two", interval: 60, answers: () => true },
  ]);
  const breakers = createBreakers(clock);
  const health = () => Object.fromEntries(breakers.list().map(({ provider, health }) => [provider, health]));
  const stop = new AbortController();
  const running = providerProber(catalog, breakers, clock).run(stop.signal);

  await clock.advance(25_000);
  const times = (server: string) => asked.filter((one) => one.server === server).map(({ atMs }) => atMs);
  expect(times("one")).toEqual([0, 10_000, 20_000]);
  expect(times("two")).toEqual([0]);
  expect(health()).toEqual({ one: "healthy", two: "healthy" });

  isUp = false;
  await clock.advance(10_000);
  expect(health()).toEqual({ one: "degraded", two: "healthy" });

  isUp = true;
  await clock.advance(10_000);
  expect(health()).toEqual({ one: "healthy", two: "healthy" });

  stop.abort();
  await clock.advance(0);
  await running;
  expect(clock.pending).toBe(0);
});
