import { describe, expect, test } from "bun:test";
import { settle } from "../../../support/fake-clock.ts";
import { startModelServer } from "../../../support/model-server.ts";
import { echoServer } from "../../../support/network-servers.ts";
import {
  manifestOf,
  readRun,
  runOf,
  startTenantRuntime,
  tenantA,
  tenantB,
  transports,
} from "../../../support/tenant-runtime.ts";

const asks = (name: string, input: Record<string, unknown> = {}) => ({
  toolCalls: [{ name, arguments: input }],
});
const told = (runtime: { lab: { requests: { body: { messages: unknown[] } }[] } }) =>
  JSON.stringify(runtime.lab.requests.at(-1)?.body.messages);

describe.each(transports)("usage %s", (transport) => {
  test("is of the agents as they were when the run began: a dearer model is for later runs", async () => {
    const asked = Promise.withResolvers<void>();
    const changed = Promise.withResolvers<void>();
    await using runtime = await startTenantRuntime({
      transport,
      script: ({ body }) => {
        if (body.model !== "test-model") return { text: "the sum" };
        if (JSON.stringify(body.messages).includes("the sum")) return { text: "It is done." };
        asked.resolve();
        return { ...asks("adder", { query: "add" }), after: changed.promise };
      },
    });
    const adder = (model: string) =>
      runtime.register({ model: { primary: { provider: "lab", model } } }, { name: "adder", id: "w" });
    await adder("cheap");
    const name = await runtime.register({
      tools: [{ name: "adder", type: "agent", config: { agent: "adder" } }],
    });
    const run = runtime.run(name);
    await asked.promise;
    await adder("dear");
    changed.resolve();
    const modelsOf = ({ ended }: Awaited<typeof run>) =>
      new Set(ended.usage.map(({ model }: { model: string }) => model));
    expect(modelsOf(await run)).toEqual(new Set(["test-model", "cheap"]));
    expect(modelsOf(await runtime.run(name))).toEqual(new Set(["test-model", "dear"]));
  });

  test("has provider, model and role of every call that worked for the run", async () => {
    await using runtime = await startTenantRuntime({
      transport,
      script: ({ body }) => {
        if (body.model === "worker") return { text: "the sum", usage: { input: 7, output: 3 } };
        const isFirst = !JSON.stringify(body.messages).includes("the sum");
        return {
          ...(isFirst ? asks("adder", { query: "add" }) : { text: "It is done." }),
          usage: { input: 20, output: 4, cached: 5 },
        };
      },
    });
    await runtime.register(
      { model: { primary: { provider: "lab", model: "worker" } } },
      { name: "adder", id: "w" },
    );
    await runtime.register(
      { model: { primary: { provider: "lab", model: "worker" } } },
      { name: "archive", id: "x" },
    );
    const name = await runtime.register({
      tools: [{ name: "adder", type: "agent", config: { agent: "adder" } }],
      chain: { on_complete: [{ agent: "archive" }] },
    });
    const { ended, response } = await runtime.run(name);
    expect(response).toBe("It is done.");
    expect(ended.usage).toContainEqual({
      provider: "lab",
      model: "test-model",
      role: "main",
      tokens_in: 40,
      tokens_out: 8,
      tokens_cached: 10,
      estimated: false,
      cost_micros: 0,
    });
    expect(ended.usage).toContainEqual({
      provider: "lab",
      model: "worker",
      role: "main",
      tokens_in: 14,
      tokens_out: 6,
      tokens_cached: 0,
      estimated: false,
      cost_micros: 0,
    });
    expect(ended.usage).toHaveLength(2);
  });

  test("names the role that a model had", async () => {
    await using runtime = await startTenantRuntime({
      transport,
      script: ({ body }) => ({ text: body.model === "planning" ? '{"steps": ["one"]}' : "ok" }),
    });
    const name = await runtime.register({
      orchestration: { pattern: "plan_and_execute" },
      model: {
        primary: { provider: "lab", model: "m" },
        roles: { planner: { candidates: [{ provider: "lab", model: "planning" }] } },
      },
    });
    const { ended } = await runtime.run(name);
    expect(ended.usage).toContainEqual(expect.objectContaining({ model: "planning", role: "planner" }));
  });

  test("is counted by us, and says so, where the provider is silent", async () => {
    await using runtime = await startTenantRuntime({
      transport,
      script: [{ text: "Hello there.", usage: null }],
    });
    const { ended } = await runtime.run(await runtime.register());
    expect(ended.usage).toEqual([expect.objectContaining({ estimated: true })]);
    expect(ended.usage[0]?.tokens_out).toBeGreaterThan(0);
  });

  test("of a run that fails comes with its error", async () => {
    await using runtime = await startTenantRuntime({
      transport,
      script: [
        { ...asks("datetime_now"), usage: { input: 9, output: 2 } },
        { status: 400, body: "no" },
      ],
    });
    const name = await runtime.register({ tools: [{ name: "datetime_now", type: "builtin" }] });
    const { ended } = await runtime.run(name);
    expect(ended).toMatchObject({
      outcome: "error",
      error: { status: expect.any(Number), code: expect.any(String) },
    });
    expect(ended.usage).toEqual([expect.objectContaining({ tokens_in: 9, tokens_out: 2 })]);
  });

  test("of a run that times out is reported with every call that worked for it", async () => {
    await using runtime = await startTenantRuntime({
      transport,
      script: ({ body }) =>
        body.model === "slow"
          ? { after: new Promise(() => {}) }
          : { ...asks("sloth", { query: "x" }), usage: { input: 9, output: 2 } },
    });
    await runtime.register(
      { model: { primary: { provider: "lab", model: "slow" } } },
      { name: "sloth", id: "z" },
    );
    const name = await runtime.register({
      tools: [{ name: "sloth", type: "agent", config: { agent: "sloth" } }],
    });
    const run = runOf(name, { limits: { total_tokens: 64_000, timeout_ms: 5_000 } });
    const reading = readRun(runtime.client.run(name, run));
    while (runtime.lab.requests.length < 2) await settle();
    // No further: the run's parts get time to report their usage.
    await runtime.clock.advance(5_000);
    const { ended } = await reading;
    expect(ended).toMatchObject({ outcome: "timeout", error: { code: "orchestration_timeout" } });
    expect(ended.usage).toContainEqual(expect.objectContaining({ model: "test-model", tokens_in: 9 }));
    expect(ended.usage).toContainEqual(expect.objectContaining({ model: "slow", estimated: true }));
  });
});

describe("limits", () => {
  test("of tokens end the run before the call that would pass them", async () => {
    await using runtime = await startTenantRuntime();
    const name = await runtime.register();
    const { ended } = await runtime.run(name, {
      query: "x".repeat(9000),
      limits: { total_tokens: 2000, timeout_ms: 1000 },
    });
    expect(ended).toMatchObject({ outcome: "error", error: { code: "budget_exceeded" }, usage: [] });
    expect(runtime.lab.requests).toHaveLength(0);
  });

  test("of a call and of model calls are the run's", async () => {
    await using runtime = await startTenantRuntime({ script: [asks("datetime_now")] });
    const name = await runtime.register({ tools: [{ name: "datetime_now", type: "builtin" }] });
    await runtime.run(name, {
      limits: { total_tokens: 60_000, call_tokens: 77, iterations: 2, timeout_ms: 1000 },
    });
    expect(runtime.lab.requests).toHaveLength(2);
    expect(runtime.lab.requests[0]?.body.max_tokens).toBe(77);
  });

  test("a run that is under way can't be begun again", async () => {
    await using runtime = await startTenantRuntime({ script: [{ text: "Hello there.", silentAfter: 2 }] });
    const name = await runtime.register();
    const run = runOf(name);
    const stream = runtime.client.run(name, run)[Symbol.asyncIterator]();
    await stream.next();
    let code = "";
    await readRun(runtime.client.run(name, run)).catch((thrown) => {
      code = thrown.code;
    });
    expect(code).toBe("run_exists");
    await stream.return?.();
  });
});

test.each(transports)("a reader that leaves ends the run: %s", async (transport) => {
  await using runtime = await startTenantRuntime({
    transport,
    script: [{ text: "Hello there.", silentAfter: 2 }],
  });
  const name = await runtime.register();
  const stream = runtime.client.run(name, runOf(name))[Symbol.asyncIterator]();
  await stream.next();
  await stream.return?.();
  await runtime.lab.requests[0]?.cut;
  const metrics = async () => (await fetch(`${runtime.url}/metrics`)).text();
  while (!(await metrics()).includes('status="cancelled"')) await settle();
  expect(await metrics()).toContain("platform_runs_in_flight 0");
});

describe.each(transports)("approvals %s", (transport) => {
  const spec = { tools: [{ name: "datetime_now", type: "builtin", requires_approval: true }] };
  const limits = { total_tokens: 64_000, timeout_ms: 60_000 };

  test("a run waits for a person, and continues with what was decided", async () => {
    await using runtime = await startTenantRuntime({
      transport,
      script: [asks("datetime_now"), { text: "It is noon." }],
    });
    const name = await runtime.register(spec);
    const { ended } = await runtime.run(name);
    expect(ended.outcome).toBe("awaiting_approval");
    expect(ended.approval).toEqual({ tool: "datetime_now", input: {} });
    expect(ended.usage).toHaveLength(1);
    const decision = { run_id: "r2", verdict: "approved" as const, stream: true, limits };
    const after = await readRun(runtime.client.decide(ended.approval_id ?? "", decision));
    expect(after.response).toBe("It is noon.");
    expect(after.ended).toMatchObject({ outcome: "ok", usage: [{ tokens_in: 10, tokens_out: 5 }] });
    let code = "";
    await readRun(runtime.client.decide(ended.approval_id ?? "", { ...decision, run_id: "r3" })).catch(
      (thrown) => {
        code = thrown.code;
      },
    );
    expect(code).toBe("approval_decided");
    expect(runtime.lab.requests).toHaveLength(2);
  });

  test("a rejected call is not carried out", async () => {
    await using runtime = await startTenantRuntime({
      transport,
      script: [asks("datetime_now"), { text: "Then not." }],
    });
    const { ended } = await runtime.run(await runtime.register(spec));
    const after = await readRun(
      runtime.client.decide(ended.approval_id ?? "", {
        run_id: "r2",
        verdict: "rejected",
        comment: "no",
        stream: false,
        limits,
      }),
    );
    expect(after.response).toBe("Then not.");
    expect(told(runtime)).not.toContain("iso");
  });

  test("asks for the agent first, and refuses one that has changed", async () => {
    await using runtime = await startTenantRuntime({
      transport,
      script: [asks("datetime_now"), { text: "x" }],
    });
    const name = await runtime.register(spec);
    const { ended } = await runtime.run(name);
    await runtime.register({ ...spec, identity: { role: "another" } });
    const decide = async () => {
      try {
        await readRun(
          runtime.client.decide(ended.approval_id ?? "", {
            run_id: "r2",
            verdict: "approved",
            stream: false,
            limits,
          }),
        );
        return "decided";
      } catch (thrown) {
        return (thrown as { code: string }).code;
      }
    };
    expect(await decide()).toBe("agent_changed");
    await runtime.register(spec);
    expect(await decide()).toBe("decided");
  });

  test("no id of the operator's own approvals is one here", async () => {
    const own = { ...manifestOf("boss", spec) };
    await using runtime = await startTenantRuntime({
      transport,
      script: [asks("datetime_now"), { text: "x" }],
      files: { "agents/boss.agent.yaml": JSON.stringify(own) },
    });
    const answer = await fetch(`${runtime.url}/v1/agents/boss/run`, {
      method: "POST",
      body: '{"query":"hi"}',
    });
    const { approval_id: id } = (await answer.json()) as { approval_id: string };
    let code = "";
    await readRun(
      runtime.client.decide(id, { run_id: "r2", verdict: "approved", stream: false, limits }),
    ).catch((thrown) => {
      code = thrown.code;
    });
    expect(code).toBe("approval_not_found");
    expect(runtime.lab.requests).toHaveLength(1);
  });
});

describe("connections", () => {
  const canary = "canary-7f3a9c1e5b-secret";
  const hook = (url: string, more = {}) => ({
    tools: [
      {
        name: "erp",
        type: "webhook",
        parameters: { type: "object" },
        config: { url, connection: "erp", ...more },
      },
    ],
    observability: { record: true },
  });

  test.each<[Record<string, unknown>, string, string]>([
    [{ token: canary }, "authorization", `Bearer ${canary}`],
    [{ api_key: canary }, "x-api-key", canary],
    [{ api_key: canary, header: "X-Erp-Key" }, "x-erp-key", canary],
    [{ headers: { "X-Any": canary } }, "x-any", canary],
    [{ username: "ann", password: canary }, "authorization", `Basic ${btoa(`ann:${canary}`)}`],
  ])("%j goes to the service alone", async (material, header, value) => {
    const service = echoServer();
    try {
      await using runtime = await startTenantRuntime({
        runtime: { network: { allow: ["127.0.0.0/8"] } },
        script: [asks("erp"), { text: "done" }],
      });
      const base = service.at("127.0.0.1");
      const name = await runtime.register(hook(`${base}orders`));
      const read = await runtime.run(name, { connections: { erp: { base_url: base, material } } });
      expect(service.seen[0]?.headers.get(header)).toBe(value);
      const traces = await (await fetch(`${runtime.url}/v1/traces`)).text();
      for (const text of [told(runtime), JSON.stringify(read), runtime.logText(), traces])
        expect(text).not.toContain("7f3a9c1e5b");
    } finally {
      service.stop();
    }
  });

  test("what the service says of the credential is masked", async () => {
    const service = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => Response.json({ you: [...request.headers], text: `${canary} ${btoa(canary)}` }),
    });
    try {
      await using runtime = await startTenantRuntime({
        runtime: { network: { allow: ["127.0.0.0/8"] } },
        script: [asks("erp"), { text: `Your token is ${canary}.` }],
      });
      const name = await runtime.register(hook(`http://127.0.0.1:${service.port}/`));
      const read = await runtime.run(name, { connections: { erp: { material: { token: canary } } } });
      expect(told(runtime)).not.toContain(canary);
      expect(told(runtime)).not.toContain(btoa(canary).slice(0, -4));
      const calls = JSON.stringify(read.frames.filter(({ type }) => type === "tool_result"));
      expect(calls).not.toContain(canary);
    } finally {
      service.stop(true);
    }
  });

  test("one for another address, or one that is not there, is not used", async () => {
    const service = echoServer();
    try {
      await using runtime = await startTenantRuntime({
        runtime: { network: { allow: ["127.0.0.0/8"] } },
        script: (_, number) => (number % 2 === 0 ? asks("erp") : { text: "done" }),
      });
      const name = await runtime.register(hook(service.at("127.0.0.1", "/orders")));
      for (const connections of [
        {},
        { erp: { base_url: "https://erp.example.com", material: { token: canary } } },
        { erp: { base_url: service.at("127.0.0.1", "/ordersx"), material: { token: canary } } },
        { erp: { material: { nothing: 1 } } },
      ]) {
        await runtime.run(name, { connections });
        expect(told(runtime)).toContain('\\"success\\":false');
      }
      expect(service.seen).toHaveLength(0);
    } finally {
      service.stop();
    }
  });

  test("of a file of the operator's are those of connections.yaml", async () => {
    const own = manifestOf("boss", hook("/orders"));
    await using runtime = await startTenantRuntime({
      files: { "agents/boss.agent.yaml": JSON.stringify(own) },
    });
    expect(await (await fetch(`${runtime.url}/v1/agents`)).text()).toContain(
      "is not a connection of connections.yaml",
    );
  });
});

describe("messages", () => {
  test("can't be sent without a sender, and the model gets that error", async () => {
    await using runtime = await startTenantRuntime({
      script: [asks("send_message", { channel: "whatsapp", recipient: "1", text: "hi" }), { text: "done" }],
    });
    await runtime.run(await runtime.register({ tools: [{ name: "send_message", type: "internal" }] }), {
      run_token: "t",
    });
    expect(told(runtime)).toContain("No messages can be sent from here");
  });

  test("are not a tool of the operator's agents", async () => {
    const own = manifestOf("boss", { tools: [{ name: "send_message", type: "internal" }] });
    await using runtime = await startTenantRuntime({
      files: { "agents/boss.agent.yaml": JSON.stringify(own) },
    });
    expect(await (await fetch(`${runtime.url}/v1/agents`)).text()).toContain("failed");
  });
});

describe.each(transports)("the catalog %s", (transport) => {
  test("holds what a tenant may declare, and each of it can be", async () => {
    await using runtime = await startTenantRuntime({
      transport,
      runtime: { tenants: { tools: ["write_file"] } },
    });
    const { builtins, integrations } = await runtime.client.catalog();
    const names = builtins.map(({ name }) => name);
    expect(names).toContain("http_request");
    expect(names).toContain("write_file");
    for (const closed of ["read_file", "sql_query", "send_email", "rag_ingest", "rag_query"])
      expect(names).not.toContain(closed);
    expect(builtins.filter(({ writes }) => writes).map(({ name }) => name)).toContain("send_webhook");
    expect(builtins.find(({ name }) => name === "datetime_now")).toMatchObject({
      writes: false,
      parameters: { type: "object" },
    });
    expect(integrations).toEqual([]);
    const needed: Record<string, object> = {
      send_chat: { webhook_url: "https://chat.example.com/x" },
      web_search: { provider: "brave" },
    };
    for (const name of names) {
      expect(
        await runtime.problems({ tools: [{ name, type: "builtin", config: needed[name] ?? {} }] }),
      ).toEqual([]);
    }
  });
});

test("two tenants at once keep their words apart", async () => {
  await using runtime = await startTenantRuntime({
    script: ({ body }) => ({ text: `echo ${JSON.stringify(body.messages.at(-1)?.content)}` }),
  });
  const names = [
    await runtime.register({}, { tenant: tenantA, id: "a" }),
    await runtime.register({}, { tenant: tenantB, id: "b" }),
  ];
  const reads = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      runtime.run(names[index % 2] ?? "", { query: `word-${index}-`, session_id: "same" }),
    ),
  );
  for (const [index, read] of reads.entries()) {
    expect(read.response).toContain(`word-${index}-`);
    expect(read.ended.usage).toHaveLength(1);
    expect(read.ended.usage[0]).toMatchObject({ tokens_in: 10, tokens_out: 5 });
  }
});

test("a tenant's server that never ends its answer times out", async () => {
  const own = await startModelServer([{ text: "x", silentAfter: 1 }]);
  try {
    await using runtime = await startTenantRuntime({ runtime: { network: { allow: ["127.0.0.0/8"] } } });
    const name = await runtime.register({
      model: { primary: { provider: "vllm", model: "m", endpoint: own.url } },
    });
    const run = runOf(name);
    const reading = readRun(runtime.client.run(name, run));
    while (own.requests.length === 0) await settle();
    await runtime.client.cancel(run.run_id);
    expect((await reading).ended.outcome).toBe("cancelled");
    await own.requests[0]?.cut;
  } finally {
    await own.stop();
  }
});
