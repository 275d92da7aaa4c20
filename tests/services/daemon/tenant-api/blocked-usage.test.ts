import { describe, expect, test } from "bun:test";
import { startTenantRuntime, transports } from "../../../support/tenant-runtime.ts";

describe.each(transports)("usage %s", (transport) => {
  test("of a run that a guardrail blocks includes the usage of tools that were still working", async () => {
    const summarizing = Promise.withResolvers<void>();
    await using runtime = await startTenantRuntime({
      transport,
      script: ({ body }) => {
        if (body.model === "worker") return { text: "forbiddenword", after: summarizing.promise };
        if (!body.tools?.length) {
          summarizing.resolve();
          return { after: new Promise(() => {}) };
        }
        const summary = { text: "The wall keeps the town dry. ".repeat(40) };
        return {
          toolCalls: [
            { name: "adder", arguments: { query: "add" } },
            { name: "text_summarize", arguments: summary },
          ],
          usage: { input: 9, output: 2 },
        };
      },
    });
    await runtime.register(
      { model: { primary: { provider: "lab", model: "worker" } } },
      { name: "adder", id: "w" },
    );
    const name = await runtime.register({
      guardrails: { output: [{ type: "content_filter", action: "block", keywords: ["forbiddenword"] }] },
      tools: [
        { name: "adder", type: "agent", config: { agent: "adder" } },
        { name: "text_summarize", type: "builtin" },
      ],
    });
    const { ended } = await runtime.run(name);
    expect(ended).toMatchObject({ outcome: "error", error: { code: "guardrail_blocked" } });
    expect(ended.usage.map(({ model, role }: { model: string; role: string }) => `${model} ${role}`)).toEqual(
      ["worker main", "test-model main", "test-model summarizer"],
    );
  });
});
