import { expect, test } from "bun:test";
import type { RunnableAgent } from "../../../../src/engine/agents/runnable-agent.ts";
import { createOverriddenAgents } from "../../../../src/services/daemon/agents/overridden-agents.ts";

const agent = (name: string) => ({ name }) as RunnableAgent;

function underTest() {
  let built = 0;
  const agents = createOverriddenAgents((of) => {
    built++;
    return { ...of };
  });
  return { agents, builtCount: () => built };
}

test("the same override of the same agent is built once, however its keys are ordered", () => {
  const { agents, builtCount } = underTest();
  const guide = agent("guide");
  const first = agents.of(guide, { model: "m", temperature: 0 });
  expect(agents.of(guide, { temperature: 0, model: "m" })).toBe(first);
  expect(agents.of(guide, { temperature: 1, model: "m" })).not.toBe(first);
  expect(agents.of(agent("other"), { model: "m", temperature: 0 })).not.toBe(first);
  expect(builtCount()).toBe(3);
});

test("an agent that was loaded anew is overridden anew", () => {
  const { agents, builtCount } = underTest();
  agents.of(agent("guide"), { model: "m" });
  const guide = agent("guide");
  const second = agents.of(guide, { model: "m" });
  expect(agents.of(guide, { model: "m" })).toBe(second);
  expect(builtCount()).toBe(2);
});

test("the 32 that were asked for last are kept", () => {
  const { agents, builtCount } = underTest();
  const guide = agent("guide");
  const ask = (number: number) => agents.of(guide, { max_tokens: number });
  for (let number = 1; number <= 32; number++) ask(number);
  ask(1);
  ask(33);
  expect(builtCount()).toBe(33);
  ask(1);
  expect(builtCount()).toBe(33);
  ask(2);
  expect(builtCount()).toBe(34);
});
