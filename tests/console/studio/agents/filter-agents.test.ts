import { expect, test } from "bun:test";
import { filterAgents } from "../../../../src/console/studio/agents/filter-agents.ts";
import type { AgentSummary } from "../../../../src/contracts/daemon/agents.ts";

const agent = (name: string, status: AgentSummary["status"], description: string): AgentSummary => ({
  name,
  status,
  description,
  model: "ollama/llama3.2",
  orchestration: "react",
  pattern: "react",
});

const agents = [
  agent("hello", "ready", "Tells the time."),
  agent("support", "paused", "First line of the help desk."),
  agent("broken", "failed", ""),
];

const namesOf = (search: string, status = "") => filterAgents(agents, search, status).map(({ name }) => name);

test("every word has to be somewhere, in any case and order", () => {
  expect(namesOf("")).toEqual(["hello", "support", "broken"]);
  expect(namesOf("DESK help")).toEqual(["support"]);
  expect(namesOf("llama react")).toEqual(["hello", "support", "broken"]);
  expect(namesOf("desk time")).toEqual([]);
});

test("a status leaves out all others", () => {
  expect(namesOf("", "failed")).toEqual(["broken"]);
  expect(namesOf("time", "paused")).toEqual([]);
});
