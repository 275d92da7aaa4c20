import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Value } from "@sinclair/typebox/value";
import { EvalCaseHistory, EvalGrid } from "../../../../src/contracts/daemon/evals/eval-runs.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { endedRun, writeEval } from "../../../support/daemon-evals.ts";

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startDaemon({
    agents: {
      "helper.agent.yaml": agentFile("helper"),
      "other.agent.yaml": agentFile("other", { prompts: { system: "You are the other one." } }),
    },
    models: {
      lab: ({ body: { messages, temperature, model } }) => {
        const asked = messages.map(({ content }) => String(content)).join(" ");
        const who = /other one/.test(asked) ? "other" : /Be a pirate/.test(asked) ? "pirate" : "helper";
        return { text: `north, says ${who} with ${model} at ${temperature ?? "no"} temperature` };
      },
    },
  });
  writeEval(
    daemon,
    "ways.eval.yaml",
    `apiVersion: platform/v1
kind: Eval
metadata: {name: ways}
spec:
  agent: helper
  cases:
    - {id: way, query: "Which way?", expected: North., checks: [{contains: north}]}
    - {id: who, query: "Who?", checks: [{contains: pirate}]}
`,
  );
});
afterAll(() => daemon[Symbol.asyncDispose]());

const owner = (method: string, path: string, body?: object) =>
  daemon.asOwner(method, path, body === undefined ? {} : { body });
const start = (body: object) => owner("POST", "/v1/evals/ways/runs", body);

const targets = [
  {},
  { agent: "other" },
  { prompt: "Be a pirate.", name: "pirate" },
  { model: "lab/test-model", temperature: 0.5 },
];
const names = ["agent", "other", "pirate", "lab/test-model + temperature 0.5"];

describe("an experiment", () => {
  test("asks each case of agents, prompts, models and temperatures side by side", async () => {
    const plan = await owner("POST", "/v1/evals/ways/plan", { targets });
    expect(plan.body).toMatchObject({ targets: names, runs: 8, agent_calls: 8 });
    const { id } = (await start({ targets })).body;
    expect(await endedRun(daemon, id)).toMatchObject({ status: "complete", targets: names, finished: 8 });

    const grid = (await owner("GET", `/v1/eval-runs/${id}/grid`)).body;
    expect([...Value.Errors(EvalGrid, grid)]).toEqual([]);
    expect(grid).toMatchObject({
      targets: names,
      total: 2,
      cases: [{ case: "way", expected: "North." }, {}],
    });
    const [way, who] = grid.cases as EvalGrid["cases"];
    expect(way?.cells.map(({ target, passed, of }) => [target, passed, of])).toEqual(
      names.map((name) => [name, 1, 1]),
    );
    expect(way?.cells.map(({ response }) => response)).toEqual([
      "north, says helper with test-model at no temperature",
      "north, says other with test-model at no temperature",
      "north, says pirate with test-model at no temperature",
      "north, says helper with test-model at 0.5 temperature",
    ]);
    expect(who?.cells.map(({ passed }) => passed)).toEqual([0, 0, 1, 0]);
    expect(who?.cells[0]?.failed).toMatchObject([{ check: "contains" }]);
    const shown = await owner("GET", `/v1/eval-runs/${id}/results/${who?.cells[2]?.number}`);
    expect(shown.body.result).toMatchObject({ case: "who", target: "pirate" });

    const some = async (query: string) =>
      (await owner("GET", `/v1/eval-runs/${id}/grid?${query}`)).body as EvalGrid;
    expect((await some("differing=true")).cases.map((one) => one.case)).toEqual(["who"]);
    expect((await some("search=WHICH")).cases.map((one) => one.case)).toEqual(["way"]);
    expect(await some("limit=1&offset=1")).toMatchObject({ total: 2, cases: [{ case: "who" }] });
  });

  test("is of source eval, so statistics of traffic don't count it", async () => {
    const { traces } = (await daemon.call("GET", "/v1/traces?limit=100")).body;
    expect(new Set(traces.map(({ summary }: { summary: { source: string } }) => summary.source))).toEqual(
      new Set(["eval"]),
    );
  });

  test("leaves the history of each case, newest run first", async () => {
    const again = (await start({})).body;
    await endedRun(daemon, again.id);
    const history = (await owner("GET", "/v1/evals/ways/cases/who/history")).body;
    expect([...Value.Errors(EvalCaseHistory, history)]).toEqual([]);
    expect(history.runs.map(({ run }: { run: { id: string } }) => run.id)[0]).toBe(again.id);
    expect(
      history.runs.map(({ cells }: EvalCaseHistory["runs"][number]) => cells.map(({ target }) => target)),
    ).toEqual([["agent"], names]);
    expect((await owner("GET", "/v1/evals/ways/cases/nothing/history")).body.runs).toEqual([]);
    expect((await owner("GET", "/v1/evals/nothing/cases/who/history")).status).toBe(404);
  });

  test.each([
    ["the name of the agent as it is for another target", [{ name: "agent", model: "lab/test-model" }], 400],
    ["two targets of one name", [{ name: "a" }, { name: "a", agent: "other" }], 400],
    ["two equal targets", [{ agent: "other" }, { agent: "other" }], 400],
    ["no target", [], 400],
    ["a temperature over 2", [{ temperature: 2.1 }], 400],
    ["an agent that there is not", [{ agent: "nobody" }], 404],
    ["a model without its provider", [{ model: "test-model" }], 400],
  ])("with %s is refused, and asks nothing", async (_, wrong, status) => {
    const before = daemon.models.lab.requests.length;
    for (const path of ["plan", "runs"])
      expect((await owner("POST", `/v1/evals/ways/${path}`, { targets: wrong })).status).toBe(status);
    expect(daemon.models.lab.requests).toHaveLength(before);
  });

  test("with models besides targets is 400; a caller without ownership gets 403", async () => {
    const both = { targets: [{}], models: ["lab/test-model"] };
    expect(await start(both)).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    const { id } = (await owner("GET", "/v1/eval-runs?limit=1")).body.runs[0];
    for (const path of [`/v1/eval-runs/${id}/grid`, "/v1/evals/ways/cases/who/history"])
      expect((await daemon.call("GET", path)).status).toBe(403);
  });
});
