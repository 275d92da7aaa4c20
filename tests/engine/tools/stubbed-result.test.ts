import { describe, expect, test } from "bun:test";
import type { ToolStubs } from "../../../src/contracts/daemon/runs/tool-stubs.ts";
import { asks, says, stage } from "../../support/staged-run.ts";

/** A run whose model calls the tool once, and the number of times that the tool really worked. */
async function runWith(toolStubs: ToolStubs, requiresApproval = false) {
  let executed = 0;
  const staged = stage({
    calls: [asks("", { name: "mail", input: { to: "ann", copy: true } }), says("done")],
    tools: [
      {
        name: "mail",
        requiresApproval,
        execute: async () => {
          executed++;
          return { success: true, data: "sent for real" };
        },
      },
    ],
  });
  const { result, thrown } = await staged.run({ toolStubs });
  return { executed, thrown, output: result?.tool_calls[0]?.output };
}

describe("a run with stubs", () => {
  test("takes the first result that fits and carries nothing out", async () => {
    const stubs = [
      { tool: "mail", input: { to: "bob" }, output: 1 },
      { tool: "mail", input: { to: "ann" }, output: 2 },
      { tool: "mail", output: 3 },
    ];
    expect(await runWith({ stubs })).toEqual({
      executed: 0,
      thrown: undefined,
      output: { success: true, data: 2 },
    });
  });

  test("needs no approval for a stubbed call", async () => {
    const { executed, output } = await runWith({ stubs: [{ tool: "mail", output: null }] }, true);
    expect([executed, output]).toEqual([0, { success: true, data: null }]);
  });

  test("can stub a failure", async () => {
    const { output } = await runWith({ stubs: [{ tool: "mail", error: "The server is down." }] });
    expect(output).toEqual({ success: false, error: "The server is down." });
  });

  test("refuses other calls unless they are allowed", async () => {
    const refused = await runWith({ stubs: [{ tool: "mail", input: { to: "bob" }, output: 1 }] });
    expect(refused).toMatchObject({
      executed: 0,
      output: { success: false, error: expect.stringContaining("No stub fits this call of mail") },
    });
    expect(await runWith({ stubs: [], others: "execute" })).toMatchObject({
      executed: 1,
      output: { data: "sent for real" },
    });
  });

  test("gives an agent that it calls the same stubs", async () => {
    let executed = 0;
    const worker = {
      calls: [asks("", { name: "mail", input: {} }), says("stubbed")],
      tools: [
        {
          name: "mail",
          execute: async () => {
            executed++;
            return { success: true as const, data: null };
          },
        },
      ],
    };
    const staged = stage({
      spec: {
        tools: [{ name: "helper", type: "agent", description: "Helps.", config: { agent: "worker" } }],
      },
      calls: [asks("", { name: "helper", input: { query: "mail it" } }), says("done")],
      agents: { worker },
    });
    const { result } = await staged.run({ toolStubs: { stubs: [] } });
    expect(executed).toBe(0);
    expect(result?.tool_calls).toMatchObject([{ tool: "helper", output: { success: true } }]);
    expect(staged.modelOf("worker").requests.at(-1)?.messages.at(-1)?.content).toContain("No stub fits");
  });
});
