import { expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import { invocationsOf, platformWithAgent } from "../../../support/platform-agent.ts";
import { ended } from "../../../support/staged-runtime.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

const path = "/api/v1/try";
const spec = (name: string) => `apiVersion: platform/v1
kind: Agent
metadata: {name: ${name}}
spec:
  model: {primary: {provider: lab, model: test-model}}
  prompts: {system: Be brief.}
`;

onEachEngine("a trial of an agent that is not stored", (engine) => {
  test.each([
    ["a new agent", "other"],
    ["the next version of an agent", "support"],
  ])("asks %s as it is sent, is on record and charged, and leaves no version behind", async (_, name) => {
    await using platform = await platformWithAgent(engine, { rate: 1_000_000 });
    const { owner, runtime } = platform;
    const headers = owner.asProgram;
    const turns = [{ role: "user", content: "Hello", at: "2026-01-01T00:00:00.000Z" }];
    const body = { spec: spec(name), query: "hi", turns };
    const answer = await platform.call("POST", path, { headers, body });
    expect(answer).toMatchObject({ status: 200, body: { answer: "Hello there." } });
    expect(answer.body.credits_charged_micros).toBeGreaterThan(0);
    const [{ name: asked, run } = { name: "" }] = runtime.runs;
    expect(asked).toMatch(new RegExp(`^d-[0-9a-f-]{36}__${name}$`));
    expect(run).toMatchObject({ query: "hi", turns, remember: "nothing", source: "playground" });
    expect(runtime.forgotten.map((one) => one.name)).toEqual([asked]);
    expect([...runtime.agents.keys()].filter((one) => one.startsWith("d-"))).toEqual([]);
    expect(await invocationsOf(platform)).toMatchObject([
      { status: "ok", tenantId: owner.id, source: "playground" },
    ]);
    const { agents } = (await platform.call("GET", "/api/v1/agents", { headers })).body;
    expect(agents).toMatchObject([{ name: "support", current_version: 1 }]);
  });

  test("streams its frames, the last of which is done", async () => {
    await using platform = await platformWithAgent(engine);
    const response = await fetch(`${platform.url}${path}`, {
      method: "POST",
      headers: {
        ...platform.owner.asProgram,
        accept: "text/event-stream",
        "content-type": "application/json",
      },
      body: JSON.stringify({ spec: spec("other"), query: "hi" }),
    });
    const frames = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(([, json = ""]) =>
      JSON.parse(json),
    );
    expect(frames.map(({ type }) => type)).toEqual(["token", "done"]);
    expect(platform.runtime.forgotten).toHaveLength(1);
  });

  test("a run that fails is told, and leaves no version behind", async () => {
    await using platform = await platformWithAgent(engine);
    platform.runtime.plays(async function* () {
      yield ended({
        outcome: "error",
        error: { status: 502, code: "no_provider_available", message: "None." },
      });
    });
    const answer = await platform.call("POST", path, {
      headers: platform.owner.asProgram,
      body: { spec: spec("other"), query: "hi" },
    });
    expect(answer.status).toBe(502);
    expect(platform.runtime.forgotten).toHaveLength(1);
  });

  test("what the runtime finds wrong is 400 with its line, and nothing runs", async () => {
    await using platform = await platformWithAgent(engine, {
      change: (deps) => ({
        ...deps,
        runtime: { ...deps.runtime, check: async () => [{ path: "spec.prompts.system", message: "is odd" }] },
      }),
    });
    const headers = platform.owner.asProgram;
    const refused = await platform.call("POST", path, {
      headers,
      body: { spec: spec("other"), query: "hi" },
    });
    expect(refused).toMatchObject({
      status: 400,
      body: { error: "invalid_manifest", problems: [{ path: "spec.prompts.system", line: 6 }] },
    });
    expect(await invocationsOf(platform)).toEqual([]);
  });

  test.each([
    ["a manifest of another kind", { spec: "kind: Eval", query: "hi" }, 400],
    ["a question of blanks", { spec: spec("other"), query: " " }, 400],
    ["no manifest", { query: "hi" }, 400],
  ])("%s is refused", async (_, body, status) => {
    await using platform = await platformWithAgent(engine);
    const refused = await platform.call("POST", path, { headers: platform.owner.asProgram, body });
    expect(refused.status).toBe(status);
    expect(platform.runtime.runs).toEqual([]);
  });

  test("a runtime that can't load the version is 502, and leaves nothing behind", async () => {
    await using platform = await platformWithAgent(engine, {
      change: (deps) => ({
        ...deps,
        runtime: {
          ...deps.runtime,
          register: async () => {
            throw new AppError("upstream_failed", "runtime_failed", "It is away.");
          },
        },
      }),
    });
    const refused = await platform.call("POST", path, {
      headers: platform.owner.asProgram,
      body: { spec: spec("other"), query: "hi" },
    });
    expect(refused.status).toBe(502);
    expect(await invocationsOf(platform)).toEqual([]);
  });
});
