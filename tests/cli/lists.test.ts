import { describe, expect, test } from "bun:test";
import type { AgentDetail } from "../../src/contracts/daemon/agents.ts";
import type { Span, Trace } from "../../src/contracts/daemon/runs/run.ts";
import type { TraceList } from "../../src/contracts/daemon/runs/traces.ts";
import type { DoctorReport } from "../../src/contracts/daemon/system.ts";
import { AppError } from "../../src/kit/app-error.ts";
import { daemonParts, notFound, say } from "./recording-shell.ts";

const agent = (name: string, more: object = {}) => ({
  name,
  description: `What ${name} does.`,
  model: "openai/gpt-x",
  orchestration: "react",
  pattern: "react",
  status: "ready" as const,
  ...more,
});

describe("agents", () => {
  const list = { agents: [agent("hello"), agent("broken", { status: "failed", error: "bad key" })] };
  const parts = daemonParts({ listAgents: async () => list });

  test("is a table, with faults on stderr", async () => {
    const said = await say(["agents"], { parts });
    expect(said.code).toBe(0);
    expect(said.stdout.split("\n").slice(0, 3)).toEqual([
      "NAME    STATUS  MODEL         PATTERN  DESCRIPTION",
      "hello   ready   openai/gpt-x  react    What hello does.",
      "broken  failed  openai/gpt-x  react    What broken does.",
    ]);
    expect(said.stderr).toBe("broken: bad key\n");
  });
  test("fits the terminal", async () => {
    const said = await say(["agents", "--no-color"], { parts, terminal: true, columns: 44 });
    for (const line of said.stdout.trimEnd().split("\n"))
      expect(Bun.stringWidth(line)).toBeLessThanOrEqual(44);
  });
  test("is the daemon's answer with --json", async () => {
    expect(JSON.parse((await say(["agents", "--json"], { parts })).stdout)).toEqual(list);
  });
  test("says what to do where there are none", async () => {
    const said = await say(["agents"], { parts: daemonParts({ listAgents: async () => ({ agents: [] }) }) });
    expect(said).toMatchObject({ code: 0, stdout: "" });
    expect(said.stderr).toContain("argosy init");
  });
  test("<name> shows one", async () => {
    const detail: AgentDetail = {
      name: "hello",
      description: "Tells\nthe time.",
      version: "1.0.0",
      namespace: "default",
      model: {
        primary: { provider: "openai", model: "gpt-x" },
        fallback: null,
        routing: { strategy: "quality_first" },
      },
      orchestration: { pattern: "react", max_iterations: 10, timeout: 120 },
      tools: [{ name: "clock", type: "builtin", description: "Tells the time." }],
      memory: { conversational: {} },
      status: "ready",
      persisted: false,
    };
    const said = await say(["agents", "hello"], { parts: daemonParts({ getAgent: async () => detail }) });
    expect(said.stdout).toContain("description  Tells the time.\n");
    expect(said.stdout).toContain("fallback     none\n");
    expect(said.stdout).toContain("tool         clock (builtin) Tells the time.\n");
    expect(said.stdout).toContain("file         none; the agent is lost at a restart\n");
  });
  test("<name> that is not there fails with the hint", async () => {
    const parts = daemonParts({ getAgent: () => Promise.reject(notFound) });
    expect((await say(["agents", "suport"], { parts })).stderr).toContain("Did you mean support?");
  });
});

describe("traces", () => {
  const span = (id: string, parent: string | undefined, startMs: number, more: object = {}): Span => ({
    name: `span ${id}`,
    span_id: id,
    ...(parent === undefined ? {} : { parent_span_id: parent }),
    start_time: new Date(startMs).toISOString(),
    end_time: new Date(startMs + 10).toISOString(),
    duration_ms: 10,
    attributes: {},
    status: "OK",
    ...more,
  });
  const trace: Trace = {
    trace_id: "t1",
    agent: "hello",
    session_id: "s1",
    status: "ERROR",
    start_time: "2026-01-01T00:00:00.000Z",
    duration_ms: 1234,
    spans: [
      span("d", "b", 3, { status: "ERROR", attributes: { tool: "clock", input_tokens: 3 } }),
      span("c", "a", 4),
      span("a", undefined, 0),
      span("b", "a", 1),
      span("lost", "nobody", 9),
    ],
  };

  test("lists, with its filters passed on", async () => {
    const queries: object[] = [];
    const parts = daemonParts({
      listTraces: async (query = {}) => {
        queries.push(query);
        const summary = {
          source: "eval" as const,
          input_tokens: 3,
          output_tokens: 0,
          total_tokens: 3,
          model_calls: 0,
          tool_calls: 0,
          cost_usd: 0.0012,
          unpriced_calls: 0,
        };
        return { traces: [{ ...trace, span_count: 5, summary }] };
      },
    });
    const filters = [
      "--agent",
      "hello",
      "--limit",
      "7",
      "--status",
      "ERROR",
      "--session",
      "s1",
      "--source",
      "eval",
    ];
    const said = await say(["traces", ...filters], { parts });
    expect(queries).toEqual([
      { agent: "hello", limit: 7, status: "ERROR", session_id: "s1", source: "eval" },
    ]);
    expect(said.stdout).toContain(
      "t1     hello  ERROR   eval    2026-01-01T00:00:00.000Z  1.23 s    $0.0012  s1",
    );
    const order = ["--search", "100% _", "--model", "m", "--sort", "cost", "--order", "asc"];
    await say(["traces", ...order, "--since", "2026-01-01", "--until", "2026-01-02"], { parts });
    expect(queries[1]).toEqual({
      search: "100% _",
      model: "m",
      sort: "cost",
      order: "asc",
      since: "2026-01-01",
      until: "2026-01-02",
    });
  });
  test("an empty list says why it may be empty", async () => {
    const said = async (list: TraceList, ...options: string[]) => {
      const { stdout, stderr } = await say(["traces", ...options], {
        parts: daemonParts({ listTraces: async () => list }),
      });
      return `${stdout}${stderr}`;
    };
    expect(await said({ traces: [] })).toContain("A run leaves one");
    expect(await said({ traces: [] }, "--search", "x")).toContain("No run matches.");
    expect(await said({ traces: [], next_cursor: "c" }, "--search", "x")).toContain("first 20,000 runs");
  });
  test("an unknown order is refused", async () => {
    expect((await say(["traces", "--sort", "name"], { parts: daemonParts({}) })).code).toBe(2);
  });
  test("<id> shows the spans as a tree, siblings by their start", async () => {
    const said = await say(["traces", "t1"], { parts: daemonParts({ getTrace: async () => trace }) });
    expect(
      said.stdout
        .trimEnd()
        .split("\n")
        .slice(1)
        .map((line) => line.replace(/ {2,}.*/, "")),
    ).toEqual(["span a", "│ span b", "│ │ span d", "│ span c", "span lost"]);
    expect(said.stdout).toMatch(/span d +10\.0 ms +ERROR +tool=clock input_tokens=3/);
  });
  test("<id> takes no filters", async () => {
    expect((await say(["traces", "t1", "--limit", "3"], { parts: daemonParts({}) })).code).toBe(2);
  });
});

describe("doctor", () => {
  const report = (...statuses: ("healthy" | "degraded" | "failing")[]): DoctorReport => ({
    checks: statuses.map((status) => ({
      name: "disk",
      status,
      message: `is ${status}`,
      mend: "argosy mend",
    })),
    summary: {
      healthy: statuses.filter((status) => status === "healthy").length,
      degraded: statuses.filter((status) => status === "degraded").length,
      failing: statuses.filter((status) => status === "failing").length,
    },
  });

  test.each([
    [report("healthy", "degraded"), 0],
    [report("healthy", "failing"), 1],
  ] as const)("ends by its worst check (%#)", async (checked, code) => {
    const parts = daemonParts({ doctor: async () => checked });
    const said = await say(["doctor"], { parts });
    expect(said.code).toBe(code);
    expect(said.stdout).toContain("✓ disk is healthy\n    → argosy mend\n");
    expect(JSON.parse((await say(["doctor", "--json"], { parts })).stdout)).toEqual(checked);
  });

  test("reports a configuration that can't be read as a check", async () => {
    const fault = new AppError(
      "unprocessable",
      "invalid_manifest",
      "providers.yaml:3:1: provders is not known",
      {
        details: { hint: "argosy validate" },
      },
    );
    const said = await say(["doctor", "--json"], {
      parts: { loadConfig: () => Promise.reject(fault), validate: async () => [] },
    });
    expect(said.code).toBe(1);
    expect(JSON.parse(said.stdout)).toEqual({
      checks: [{ name: "config", status: "failing", message: fault.message, mend: "argosy validate" }],
      summary: { healthy: 0, degraded: 0, failing: 1 },
    });
  });
});
