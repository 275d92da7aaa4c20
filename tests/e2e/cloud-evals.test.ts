import { expect } from "bun:test";
import { cloudClient } from "../../src/contracts/cloud/client.ts";
import { argosy, executableTest, startServer } from "../support/executable.ts";
import { startModelServer } from "../support/model-server.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

const config = (prompt: string) =>
  JSON.stringify({
    name: "helper",
    display_name: "Helper",
    step1: { model: "openai/test-model" },
    step2: { system_prompt: prompt },
    step3: { tools: ["datetime_now"] },
  });

const kindness = `apiVersion: platform/v1
kind: Eval
metadata: {name: kindness}
spec:
  agent: helper
  tools:
    stubs:
      - {tool: datetime_now, output: {weekday: Friday}}
  cases:
    - id: tells-the-day
      query: What day is it?
      checks:
        - contains: dear
        - contains: Friday
        - tool_called: {tool: datetime_now}
`;

executableTest("an agent is deployed once it passes its eval, which the command line runs", async () => {
  using folder = temporaryFolder();
  // The model calls the tool, then answers as the prompt says with what the tool found.
  const model = await startModelServer(({ body: { messages } }) => {
    const found = messages.findLast(({ role }) => role === "tool");
    if (found === undefined) return { toolCalls: [{ name: "datetime_now", arguments: {} }] };
    const isKind = JSON.stringify(messages[0]).includes("kind");
    return { text: `${isKind ? "My dear" : "Well"}: ${String(found.content)}` };
  });
  const openai = { type: "openai", endpoint: model.url };
  writeFiles(folder.path, {
    "providers.yaml": JSON.stringify({ providers: { openai } }),
    "kindness.eval.yaml": kindness,
    "rude.json": config("Be short."),
    "kind.json": config("Be kind."),
  });
  await using server = await startServer(folder.path, { services: ["daemon", "cloud"] });
  const address = {
    baseUrl: server.urlOf("cloud"),
    headers: {},
    fetch: (request: Request) => fetch(request),
  };
  const { access_token, org_slug } = await cloudClient(address).devLogin({
    email: "ada@example.com",
    name: "Ada",
  });
  const ada = cloudClient({ ...address, headers: { authorization: `Bearer ${access_token}` } });
  await ada.saveProvider(org_slug, { provider: "openai", api_key: "sk-of-a-test-1234" });
  const cloud = (...args: string[]) => argosy(folder.path, ["cloud", ...args, "--org", org_slug]);
  const ok = async (...args: string[]) => {
    const ended = await cloud(...args);
    expect([args, ended.code, ended.stderr]).toEqual([args, 0, expect.any(String)]);
    return ended;
  };
  const all = ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr;

  await ok("apply", "rude.json");
  await ok("release", "helper", "--require", "kindness:0.9:no-regressions");
  const early = await cloud("deploy", "helper");
  expect([early.code, all(early)]).toEqual([1, expect.stringContaining("there is no eval kindness")]);
  await ok("evals", "apply", "kindness.eval.yaml");
  const rude = await cloud("evals", "run", "kindness");
  expect([rude.code, rude.stdout]).toEqual([1, expect.stringContaining("failed")]);
  const gate = await cloud("release", "helper");
  expect([gate.code, gate.stdout]).toEqual([1, expect.stringContaining("eval kindness scores 0 %")]);
  expect((await cloud("deploy", "helper")).code).toBe(1);

  // The change is asked before it is made.
  const kind = await ok("evals", "run", "kindness", "--config", "kind.json", "--json");
  expect(JSON.parse(kind.stdout)).toMatchObject({ status: "complete", passed: 1, failed: [] });
  await ok("apply", "kind.json");
  await ok("release", "helper");
  expect((await ok("deploy", "helper")).stderr).toContain("Deployed ada__helper");
  const { result } = await ada.run(org_slug, "helper", { query: "What day is it?" });
  expect(result.answer).toStartWith("My dear");
  const runs = JSON.parse((await ok("evals", "runs", "--json")).stdout).runs;
  expect(runs.map(({ passed }: { passed: number }) => passed)).toEqual([1, 0]);
  // Each case was a run of the org.
  expect((await ada.usage(org_slug)).by_agent).toMatchObject([{ agent: "helper", requests: 3 }]);

  await ok("pause", "helper");
  await ok("apply", "rude.json");
  const override = await ok("deploy", "helper", "--release-override", "The kind one is too slow");
  expect(override.stderr).toContain("Deployed");
  const audit = JSON.stringify((await ada.audit(org_slug)).entries);
  for (const step of ["agent.release_rules", "agent.release_refused", "The kind one is too slow"])
    expect(audit).toContain(step);
  expect(server.stderr()).not.toContain('"level":"error"');
});
