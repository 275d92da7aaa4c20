import { describe, expect, test } from "bun:test";
import { createLiveTools } from "../../../../src/engine/agents/live-tools.ts";
import type { BoundSource } from "../../../../src/engine/tools/bind-tools.ts";
import { readQuickly } from "../../../../src/engine/tools/bound-tool.ts";
import type { TypedTool } from "../../../../src/engine/tools/tool-type.ts";
import { settle } from "../../../support/fake-clock.ts";
import { asks, says, told } from "../../../support/staged-run.ts";
import { clockTool, kinds, member, toolNames, travel } from "../../../support/travel-swarm.ts";

describe("a member that speaks", () => {
  test("has its own tools and never those of the agent that was asked, nor its own agent tools", async () => {
    const run = travel({
      agents: {
        flights: {
          spec: {
            prompts: { system: "{% for tool in available_tools %}{{ tool.name }};{% endfor %}" },
            tools: [{ name: "cache_store", type: "builtin" }, member("hotels"), member("other")],
          },
          calls: [asks("", "datetime_now"), "Done."],
        },
      },
    });
    const { result } = await run.run();
    expect(toolNames(run, "flights")).toEqual(["cache_store", "hotels", "staged"]);
    expect(told(run.modelOf("flights"))[0]).toStartWith("system: cache_store;\n\n");
    expect(result?.tool_calls[1]?.output).toEqual({
      success: false,
      error: "There is no tool datetime_now. Tools: cache_store, hotels, staged.",
    });
  });

  test("keeps a tool that is called like another member", async () => {
    const seen: string[] = [];
    const run = travel({
      agents: {
        flights: {
          tools: [
            { name: "hotels", execute: async (_, { agent }) => ({ success: true, data: seen.push(agent) }) },
          ],
          calls: [asks("", "hotels"), asks("", "hotels_agent")],
        },
      },
    });
    const { events } = await run.run();
    expect(toolNames(run, "flights")).toEqual(["hotels", "hotels_agent", "staged"]);
    expect(seen).toEqual(["flights"]);
    expect(kinds(events)).toContain("flights → hotels");
  });

  test("is the one that the result, the tools, their rate limits and the proposals are about", async () => {
    const limited = { ...clockTool, rate_limit: { max_calls: 1, window_seconds: 60 } };
    const run = travel({
      spec: { tools: [member("flights"), { ...limited }] },
      calls: [asks("", "datetime_now", "flights")],
      agents: {
        flights: {
          spec: { tools: [limited, { name: "cache_store", type: "builtin", mode: "propose" }] },
          calls: [
            asks("", "datetime_now", { name: "cache_store", input: { action: "get", key: "k" } }),
            asks("", "datetime_now"),
            "Done.",
          ],
        },
      },
    });
    const { result } = await run.run();
    const clocks = result?.tool_calls.filter(({ tool }) => tool === "datetime_now");
    expect(clocks?.map(({ output }) => output)).toMatchObject([
      { success: true },
      { success: true },
      { success: false, error: expect.stringContaining("too often") },
    ]);
    expect(result?.propuestas).toMatchObject([{ tool: "cache_store", via: "flights" }]);
  });

  test("answers with its own model", async () => {
    const run = travel();
    const { result } = await run.run();
    expect([result?.provider, result?.model, result?.response]).toEqual(["lab", "m", "Booked."]);
    expect([run.model.requests.length, run.modelOf("flights").requests.length]).toEqual([1, 1]);
    expect(run.finished).toHaveLength(1);
    expect(run.usage.map(({ agent }) => agent)).toEqual(["staged", "staged"]);
  });

  test("is in the trace with all its work below it", async () => {
    const run = travel({
      agents: { flights: { spec: { tools: [clockTool] }, calls: [asks("", "datetime_now"), "Booked."] } },
    });
    await run.run();
    const spans = run.traces[0]?.spans ?? [];
    const parentOf = new Map(
      spans.map(({ span_id, name, attributes }) => [span_id, attributes.agent ?? name]),
    );
    expect(
      spans.slice(3).map(({ name, attributes, parent_span_id = "" }) => {
        const what = attributes.agent ?? attributes.tool;
        return `${parentOf.get(parent_span_id)} > ${name}${what === undefined ? "" : ` ${what}`}`;
      }),
    ).toEqual([
      "staged > orchestration",
      "orchestration > swarm.member staged",
      "staged > llm.complete",
      "staged > tool.call flights",
      "orchestration > swarm.member flights",
      "flights > llm.complete",
      "flights > tool.call datetime_now",
      "flights > llm.complete",
      "staged > memory_persist",
    ]);
    expect(spans.every(({ status }) => status === "OK")).toBeTrue();
  });
});

describe("a member whose tool server is starting", () => {
  /**
   * A swarm whose `flights` has a server with the tool `search`; the server lists it once it has started. It starts at the latest while the
   * entry agent answers alone.
   */
  function starting() {
    const started = Promise.withResolvers<void>();
    const run = travel({
      spec: { tools: [member("flights")] },
      calls: [
        asks("", "flights"),
        async function* () {
          start();
          await settle();
          yield* says("Alone.");
        },
      ],
    });
    const search: TypedTool = {
      tool: {
        name: "search",
        type: "mcp",
        description: "Searches.",
        parameters: { type: "object" },
        execute: async () => ({ success: true, data: 1 }),
      },
      read: readQuickly((input) => ({ input: input as Record<string, unknown> })),
      timeoutMs: 1000,
    };
    let tools: TypedTool[] = [];
    let waiting: Promise<void> | undefined = started.promise;
    const source = {
      entry: "air",
      now: () => tools,
      ready: () => waiting,
      otherName: (name: string) => name,
    };
    const live = createLiveTools(new Map(), [{ source, terms: {} } as unknown as BoundSource], new Set());
    const { findAgent } = run.ports;
    run.ports.findAgent = (tenant, name) => {
      const found = findAgent(tenant, name);
      return found && name === "flights" ? { ...found, live } : found;
    };
    const start = () => {
      tools = [search];
      waiting = undefined;
      started.resolve();
    };
    return { run, start };
  }

  test("speaks once it has started, with its tools", async () => {
    const { run, start } = starting();
    const playing = run.run();
    await settle();
    expect(run.modelOf("flights").requests).toEqual([]);
    start();
    expect((await playing).result?.response).toBe("Booked.");
    expect(toolNames(run, "flights")).toEqual(["search", "staged"]);
  });

  test("does not take over once the hand-off has run out of time", async () => {
    const { run } = starting();
    const flights = run.agent.tools.get("flights");
    if (flights === undefined) throw new Error("no hand-off");
    Object.assign(flights, { timeoutMs: 5_000 });
    const playing = run.run();
    await run.clock.advance(5_000);
    const { result, events } = await playing;
    expect(result?.response).toBe("Alone.");
    expect(kinds(events)).not.toContain("staged → flights");
    expect(run.modelOf("flights").requests).toEqual([]);
  });

  test("does not keep a run that is cancelled", async () => {
    const { run } = starting();
    const caller = new AbortController();
    const playing = run.run({ cancelledBy: [caller.signal] });
    await settle();
    caller.abort();
    expect((await playing).thrown).toMatchObject({ code: "run_cancelled" });
    expect(run.clock.pending).toBe(0);
  });
});

describe("who is in it", () => {
  test("is what `workers` says", async () => {
    const run = travel({ orchestration: { workers: ["hotels"] }, calls: [asks("", "hotels")] });
    await run.run();
    expect(toolNames(run, "staged")).toEqual(["datetime_now", "hotels"]);
    expect(toolNames(run, "hotels")).toEqual(["staged"]);
  });

  test("may be reached by several tools", async () => {
    const run = travel({
      spec: {
        tools: [member("flights"), member("trains", { config: { agent: "flights" } }), member("hotels")],
      },
      calls: [asks("", "trains")],
      agents: { flights: { calls: [asks("", "hotels")] } },
    });
    const { events } = await run.run();
    expect(kinds(events)).toContain("staged → flights");
    expect(toolNames(run, "flights")).toEqual(["hotels", "staged"]);
    expect(toolNames(run, "hotels")).toEqual(["flights", "trains", "staged"]);
  });

  test("keeps its name in every prompt, also where a tool is called like the agent that was asked", async () => {
    const run = travel({
      spec: { tools: [member("staged", { config: { agent: "hotels" } }), member("flights")] },
      calls: [asks("", "staged")],
    });
    await run.run();
    expect(toolNames(run, "staged")).toEqual(["staged", "flights"]);
    expect(toolNames(run, "hotels")).toEqual(["flights", "staged_agent"]);
  });

  test("is the agent alone without agent tools: it answers by itself", async () => {
    const run = travel({ spec: { tools: [clockTool] }, calls: [asks("", "datetime_now"), "Now."] });
    const { result } = await run.run();
    expect(result?.response).toBe("Now.");
    expect(run.model.requests[0]?.messages[0]?.content).toBe("You plan journeys.");
  });
});
