import { describe, expect, test } from "bun:test";
import type { RunEvent } from "../../../../src/engine/run-state/run-event.ts";
import { AppError } from "../../../../src/kit/app-error.ts";
import type { LocatedAgent } from "../../../../src/services/daemon/runs/locate-agent.ts";
import { NodeFault, routeRun } from "../../../../src/services/daemon/runs/route-run.ts";
import type { AdmittedRequest, RunRouter } from "../../../../src/services/daemon/runs/run-router.ts";

type Script = readonly (string | AppError)[];

const agent: LocatedAgent = { name: "helper", loaded: undefined, terms: { sender: "owner" } };
const request: AdmittedRequest = {
  tenant: "operator",
  sessionId: "s1",
  query: "Hello?",
  context: {},
  stream: true,
  cancelledBy: [],
};
const unreachable = new NodeFault("unavailable", "node_unreachable", "It can't be reached.");
const busy = new AppError("unavailable", "too_busy", "All places are taken.");
const own = new AppError("upstream_failed", "provider_failed", "The model failed.");
const lost = new AppError("upstream_failed", "node_lost", "The node is lost.");

/** Plays the nodes in order; `here` is this one. Returns what the caller saw, and which nodes were asked. */
async function routed(nodes: Record<string, Script>, cancelled?: AbortSignal) {
  const asked: string[] = [];
  const moved: string[] = [];
  async function* play(node: string): AsyncGenerator<RunEvent, void> {
    asked.push(node);
    for (const step of nodes[node] ?? []) {
      if (step instanceof AppError) throw step;
      yield { type: "token", content: step };
    }
  }
  const router: RunRouter = {
    hasAgent: () => true,
    agentsElsewhere: () => [],
    place: () => ({
      nodes: Object.keys(nodes).map((id) => ({ id, isHere: id === "here" })),
      sessionId: "s1",
    }),
    perform: ({ id }) => play(id),
    movedOn: ({ id }) => moved.push(id),
  };
  const seen: string[] = [];
  const asks = { ...request, cancelledBy: cancelled === undefined ? [] : [cancelled] };
  try {
    for await (const event of routeRun(router, agent, asks, {
      performHere: () => play("here"),
      isRecorded: false,
    })) {
      if (event.type === "token") seen.push(event.content);
    }
  } catch (thrown) {
    seen.push((thrown as AppError).code);
  }
  return { asked, moved, seen };
}

describe("a run goes to", () => {
  test.each<[string, Record<string, Script>, string[], string[]]>([
    ["the best node", { b: ["Hello"], here: ["no"] }, ["b"], ["Hello"]],
    [
      "the next one, if the best can't be reached",
      { b: [unreachable], here: ["Hello"] },
      ["b", "here"],
      ["Hello"],
    ],
    ["another one, if this one is full", { here: [busy], b: ["Hello"] }, ["here", "b"], ["Hello"]],
    [
      "this one, if the best two can't be reached",
      { b: [unreachable], c: [unreachable], d: ["no"], here: ["Hello"] },
      ["b", "c", "here"],
      ["Hello"],
    ],
    [
      "no third other one",
      { b: [unreachable], c: [unreachable], d: ["no"] },
      ["b", "c"],
      ["node_unreachable"],
    ],
    [
      "this one only once",
      { here: [busy], b: [unreachable], c: ["no"] },
      ["here", "b"],
      ["node_unreachable"],
    ],
    ["no other one after the first event", { b: ["Hel", lost], here: ["no"] }, ["b"], ["Hel", "node_lost"]],
    ["no other one, if the run itself failed", { b: [own], here: ["no"] }, ["b"], ["provider_failed"]],
    ["nobody, if no node has the agent", {}, [], ["agent_not_found"]],
  ])("%s", async (_, nodes, asked, seen) => {
    const result = await routed(nodes);
    expect([result.asked, result.seen]).toEqual([asked, seen]);
    expect(result.moved).toEqual(asked.slice(0, -1));
  });

  test("no other one, if its caller has left", async () => {
    const { asked } = await routed({ b: [unreachable], here: ["no"] }, AbortSignal.abort());
    expect(asked).toEqual(["b"]);
  });
});
