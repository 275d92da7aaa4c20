import { expect, test } from "bun:test";
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const requires = [{ eval: "guard", min_score: 1 }];
const gated = agentFile("one", { prompts: { system: "Accepted." }, release: { requires } });
const changed = agentFile("one", { prompts: { system: "Changed." }, release: { requires } });
/** Leaves the gate out. */
const ungated = agentFile("one", { prompts: { system: "Ungated." } });
const evalFile = JSON.stringify({
  apiVersion: "platform/v1",
  kind: "Eval",
  metadata: { name: "guard" },
  spec: { agent: "one", cases: [{ id: "a", query: "hi", checks: [{ contains: "Hello" }] }] },
});

const start = (workspace: string, file: string) =>
  startDaemon({
    workspace,
    agents: { "one.agent.yaml": file },
    ownersToken: true,
    configure: (config) => ({ ...config, persistAgents: true }),
  });

/** Reads changed files: a check waits until all have been judged. */
const look = (daemon: TestDaemon) =>
  daemon.call("POST", "/v1/agents/validate", {
    body: agentFile("other"),
    headers: { "content-type": "application/json" },
  });

/** Lets the candidate of the agent past its gate, as `argosy eval release` does. */
async function override(daemon: TestDaemon): Promise<void> {
  const { fingerprint } = (await daemon.call("GET", "/v1/agents/one")).body.candidate;
  const folder = join(daemon.config.dataFolder, "releases");
  mkdirSync(folder, { recursive: true });
  const line = { event: "overridden", fingerprint, reason: "test", at: "2026-01-01T00:00:00Z" };
  appendFileSync(join(folder, "one.jsonl"), `${JSON.stringify(line)}\n`);
  await look(daemon);
}

/** A daemon whose agent `one` has passed its gate. Version 1 of its history is `ungated`. */
async function startAccepted(workspace: string): Promise<TestDaemon> {
  mkdirSync(join(workspace, "evals"), { recursive: true });
  writeFileSync(join(workspace, "evals/guard.eval.yaml"), evalFile);
  const daemon = await start(workspace, ungated);
  daemon.writeAgent("one.agent.yaml", gated);
  await look(daemon);
  await override(daemon);
  return daemon;
}

/** System prompt of the version that answers. */
async function answering(daemon: TestDaemon): Promise<unknown> {
  const { status } = await daemon.run("one", { query: "hi" });
  return status === 200 ? daemon.models.lab.requests.at(-1)?.body.messages[0]?.content : status;
}

interface Door {
  /** Files of the source that bring manifests to the catalog by this door. */
  callers: readonly string[];
  /** Operations of the API that are this door. */
  operations?: readonly string[];
  enter: (daemon: TestDaemon) => Promise<{ status: number; body: { error?: string } }>;
}

const daemonAgents = "src/services/daemon/agents";
const put = (daemon: TestDaemon, text: string, headers: Record<string, string> = {}) =>
  daemon.call("PUT", "/v1/agents/one", {
    body: text,
    headers: { "content-type": "application/json", ...headers },
  });

const doors: Readonly<Record<string, Door>> = {
  "PUT, which the console's editor, Apply in the playground and `argosy agents apply` use": {
    callers: [`${daemonAgents}/manifest-routes.ts`],
    operations: ["PUT /v1/agents/{name}"],
    enter: (daemon) => put(daemon, changed),
  },
  "PUT of a manifest that leaves the gate out": {
    callers: [`${daemonAgents}/manifest-routes.ts`],
    enter: (daemon) => put(daemon, ungated),
  },
  "DELETE, then POST, which the gallery uses": {
    callers: [`${daemonAgents}/manifest-routes.ts`],
    operations: ["POST /v1/agents"],
    async enter(daemon) {
      const text = readFileSync(join(daemon.workspace, "agents/one.agent.yaml"), "utf8");
      await daemon.call("DELETE", "/v1/agents/one");
      const body = ungated;
      const headers = { "content-type": "application/json" };
      const refused = await daemon.call("POST", "/v1/agents", { body, headers });
      daemon.writeAgent("one.agent.yaml", text);
      await look(daemon);
      return refused;
    },
  },
  "restore of an earlier version": {
    callers: [`${daemonAgents}/history/routes.ts`],
    operations: ["POST /v1/agents/{name}/versions/{number}/restore"],
    enter: (daemon) => daemon.call("POST", "/v1/agents/one/versions/1/restore"),
  },
  "a changed file, also of `argosy import --write` and a restored backup": {
    callers: ["src/compose/daemon/stages/agents.ts"],
    async enter(daemon) {
      daemon.writeAgent("one.agent.yaml", changed);
      await look(daemon);
      const { candidate } = (await daemon.call("GET", "/v1/agents/one")).body;
      return { status: candidate === undefined ? 200 : 422, body: { error: "release_refused" } };
    },
  },
  "a second file with the agent's name": {
    callers: ["src/compose/daemon/stages/agents.ts"],
    async enter(daemon) {
      daemon.writeAgent("another.agent.yaml", ungated);
      rmSync(join(daemon.workspace, "agents/one.agent.yaml"));
      await look(daemon);
      const { error } = (await daemon.run("one", { query: "hi" })).body;
      rmSync(join(daemon.workspace, "agents/another.agent.yaml"));
      daemon.writeAgent("one.agent.yaml", gated);
      await look(daemon);
      return { status: error === "agent_failed" ? 422 : 200, body: { error: "release_refused" } };
    },
  },
};

/** Operations that change agents but bring no version. */
const otherOperations: Readonly<Record<string, string>> = {
  "POST /v1/agents/validate": "changes nothing; reports what PUT would refuse",
  "POST /v1/agents/{name}/canary": "ends a canary, whose version has passed its gate",
  "POST /v1/agents/{name}/deploy": "resumes the version in service",
  "POST /v1/agents/{name}/mcp/{entry}/login": "stores a login of a tool's server",
  "POST /v1/agents/{name}/mcp/{entry}/login/finish": "stores a login of a tool's server",
  "POST /v1/agents/{name}/pause": "pauses the version in service",
};

/** Callers that keep versions away from the catalog that runs use. */
const otherCallers: Readonly<Record<string, string>> = {
  "src/services/daemon/agents/change-agents.ts": "the functions that the routes call",
  "src/services/daemon/agents/agent-library.ts": "the gate's caller itself",
  "src/services/daemon/evals/pinned-runs.ts": "a copy of the versions in service for one eval",
  "src/services/daemon/tenant-api/routes.ts":
    "agents of tenants: the sender policy refuses their `spec.release`",
};

for (const [name, { enter }] of Object.entries(doors)) {
  test(`a version that has not passed its gate is 422 after ${name}`, async () => {
    using folder = temporaryFolder();
    await using daemon = await startAccepted(folder.path);
    expect(await answering(daemon)).toBe("Accepted.");
    expect(await enter(daemon)).toMatchObject({ status: 422, body: { error: "release_refused" } });
    expect(await answering(daemon)).toBe("Accepted.");
  });
}

for (const [name, text, isCandidate] of [
  ["a changed file", changed, true],
  ["a file without its gate", ungated, true],
  ["a broken file", "apiVersion: platform/v1\nkind: Agent\n", false],
] as const) {
  test(`after a restart with ${name}, the version that passed continues answering`, async () => {
    using folder = temporaryFolder();
    await (await startAccepted(folder.path)).stop();
    await using daemon = await start(folder.path, text);
    const { status, error, candidate } = (await daemon.call("GET", "/v1/agents/one")).body;
    expect({ status, isCandidate: candidate !== undefined }).toEqual({ status: "ready", isCandidate });
    expect(error).toBeString();
    expect(await answering(daemon)).toBe("Accepted.");
    const { checks } = (await daemon.call("GET", "/v1/system/doctor")).body;
    expect(checks.find((check: { name: string }) => check.name === "agents")).toMatchObject({
      status: "degraded",
      mend: isCandidate ? "argosy eval --agent one --candidate" : "argosy validate agents/one.agent.yaml",
    });
  });
}

test("a refusal by the gate marks the line of the requirement, or of spec.release", async () => {
  using folder = temporaryFolder();
  await using daemon = await startAccepted(folder.path);
  const yaml = (release: string) => `apiVersion: platform/v1
kind: Agent
metadata: {name: one}
spec:
  model: {primary: {provider: lab, model: test-model}}
  prompts: {system: Changed.}
${release}`;
  const own = yaml("  release:\n    requires:\n      - eval: guard\n");
  const required = { path: "spec.release.requires[0]", line: 9, column: 9 };
  const yamlType = { headers: { "content-type": "application/yaml" } };
  for (const [method, path] of [
    ["PUT", "/v1/agents/one"],
    ["POST", "/v1/agents/validate"],
  ] as const) {
    const { body } = await daemon.call(method, path, { body: own, ...yamlType });
    expect(body.problems).toMatchObject([required]);
  }
  // A text that leaves the gate out is marked at `spec`, where the gate is missing.
  const without = await daemon.call("PUT", "/v1/agents/one", { body: yaml(""), ...yamlType });
  expect(without.body.problems).toMatchObject([{ path: "spec.release", line: 4 }]);
  // The lines of a body in JSON are not lines of a manifest.
  const { problems } = (await put(daemon, changed)).body as { problems?: object[] };
  expect(problems).toEqual([{ path: "spec.release.requires[0]", message: expect.any(String) }]);

  daemon.writeAgent("one.agent.yaml", own);
  await look(daemon);
  expect((await daemon.call("GET", "/v1/agents/one")).body.problems).toMatchObject([required]);
});

test("a version whose text has secrets is not stored, so the agent is 503 after a restart", async () => {
  using folder = temporaryFolder();
  const withSecret = (prompt: string) =>
    agentFile("one", {
      prompts: { system: prompt },
      tools: [
        {
          name: "hook",
          type: "webhook",
          description: "Calls.",
          parameters: { type: "object", properties: {} },
          config: { url: "https://example.org/", headers: { authorization: "Bearer sk-do-not-store-4711" } },
        },
      ],
      release: { requires },
    });
  {
    mkdirSync(join(folder.path, "evals"), { recursive: true });
    writeFileSync(join(folder.path, "evals/guard.eval.yaml"), evalFile);
    const daemon = await start(folder.path, withSecret("Accepted."));
    await override(daemon);
    expect(await answering(daemon)).toBe("Accepted.");
    await daemon.stop();
  }
  await using daemon = await start(folder.path, withSecret("Changed."));
  expect(await answering(daemon)).toBe(503);
  const releases = new Bun.Glob("**/*").scanSync(join(daemon.config.dataFolder, "releases"));
  for (const file of releases) {
    expect(readFileSync(join(daemon.config.dataFolder, "releases", file), "utf8")).not.toContain("4711");
  }
});

test("every caller that brings versions to the catalog, and every such operation, is a door of this table", async () => {
  const root = join(import.meta.dirname, "../../../..");
  const brings =
    /\b(?:createAgent|replaceAgent)\(|\blibrary\.put\(|\bcatalog\.replace\(|\bnew AgentLibrary\(|\bagents\.register\(/;
  const found: string[] = [];
  for (const folder of ["src/services/daemon", "src/compose/daemon"]) {
    for (const file of new Bun.Glob("**/*.ts").scanSync(join(root, folder))) {
      const path = `${folder}/${file}`;
      if (brings.test(readFileSync(join(root, path), "utf8"))) found.push(path);
    }
  }
  const callers = [...Object.values(doors).flatMap((door) => door.callers), ...Object.keys(otherCallers)];
  expect(found.sort()).toEqual([...new Set(callers)].sort());

  await using daemon = await startDaemon();
  const { paths } = (await daemon.call("GET", "/openapi.json")).body;
  const writes = Object.entries(paths as Record<string, Record<string, { tags?: string[] }>>).flatMap(
    ([path, operations]) =>
      Object.entries(operations).flatMap(([method, { tags = [] }]) =>
        ["post", "put", "patch"].includes(method) && tags.includes("agents")
          ? [`${method.toUpperCase()} ${path}`]
          : [],
      ),
  );
  const known = [
    ...Object.values(doors).flatMap(({ operations = [] }) => operations),
    ...Object.keys(otherOperations),
  ];
  expect(writes.sort()).toEqual(known.sort());
});
