import { afterEach, describe, expect, test } from "bun:test";
import type { FinishReason } from "../../../../../src/engine/models/model.ts";
import type { ProviderOptions } from "../../../../../src/engine/models/providers/provider-kind.ts";
import { findProviderKind } from "../../../../../src/engine/models/providers/registry.ts";
import { newId } from "../../../../../src/kit/id.ts";
import { FakeClock } from "../../../../support/fake-clock.ts";
import { startModelServer } from "../../../../support/model-server.ts";
import { ollamaWire } from "../../../../support/ollama-wire.ts";
import { readAnswer } from "../../../../support/read-answer.ts";
import { requestOf } from "../../../../support/scripted-model.ts";
import { startVendorServer, type VendorServer, type VendorStep } from "../../../../support/vendor-server.ts";

const servers: Pick<VendorServer, "stop">[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

function modelAt(endpoint: string, options: Partial<ProviderOptions> = {}) {
  const model = findProviderKind("ollama")?.build(
    { provider: "ollama", model: "llama9", endpoint, parameters: {}, timeoutMs: 60_000, ...options },
    { fetch, clock: new FakeClock(), newId },
  );
  if (!model) throw new Error("no provider");
  return model;
}

async function serve(steps: readonly [VendorStep, ...VendorStep[]], options?: Partial<ProviderOptions>) {
  const server = await startVendorServer(ollamaWire, steps);
  servers.push(server);
  return { server, model: modelAt(server.url, options) };
}

const add = { name: "add", description: "Adds.", parameters: { type: "object", properties: {} } };

describe("the request", () => {
  test("holds messages, tools and options, and room for the window that was declared", async () => {
    const { server, model } = await serve([{ text: ["ok"] }], {
      contextWindow: 32_000,
      parameters: { temperature: 0.5, top_p: 0.9, top_k: 40, max_tokens: 100, stop: ["END"] },
    });
    await readAnswer(model, {
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "2+2?" },
        {
          role: "assistant",
          content: "",
          toolCalls: [
            { id: "c1", name: "add", input: { a: 2 } },
            { id: "c2", name: "add", input: {}, unparsable: "{oops" },
          ],
        },
        { role: "tool", callId: "c1", name: "add", content: "4" },
        { role: "tool", callId: "c2", name: "add", content: "?" },
      ],
      tools: [add],
      toolChoice: "auto",
      stream: true,
    });
    expect(server.requests[0]?.body).toEqual({
      model: "llama9",
      truncate: false,
      options: {
        num_ctx: 32_000,
        num_predict: 100,
        temperature: 0.5,
        top_p: 0.9,
        top_k: 40,
        stop: ["END"],
      },
      tools: [{ type: "function", function: add }],
      stream: true,
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "2+2?" },
        {
          role: "assistant",
          content: "",
          tool_calls: [
            { id: "c1", type: "function", function: { index: 0, name: "add", arguments: { a: 2 } } },
            { id: "c2", type: "function", function: { index: 1, name: "add", arguments: {} } },
          ],
        },
        { role: "tool", tool_name: "add", tool_call_id: "c1", content: "4" },
        { role: "tool", tool_name: "add", tool_call_id: "c2", content: "?" },
      ],
    });
  });

  test.each([
    ["none", false],
    ["low", true],
    ["xhigh", true],
  ] as const)("says by `think` whether the model thinks: %s is %p", async (reasoning_effort, think) => {
    const { server, model } = await serve([{ text: ["ok"] }]);
    await readAnswer(model, requestOf("hi", { stream: false, parameters: { reasoning_effort } }));
    expect(server.requests[0]?.body).toMatchObject({ think });
  });

  test("leaves the window to the server if none is declared, and omits the tools where they are forbidden", async () => {
    const { server, model } = await serve([{ text: ["ok"] }]);
    expect(model.contextWindow).toBe(4096);
    await readAnswer(
      model,
      requestOf("hi", { stream: false, tools: [add], toolChoice: "none", parameters: { max_tokens: 7 } }),
    );
    expect(server.requests[0]?.body).toEqual({
      model: "llama9",
      truncate: false,
      options: { num_predict: 7 },
      stream: false,
      messages: [{ role: "user", content: "hi" }],
    });
  });
});

describe("the endpoint", () => {
  test.each([[""], ["/"], ["/api"], ["/api/chat"]])(
    "that ends in %p means Ollama's own API",
    async (path) => {
      const { server } = await serve([{ text: ["native"] }]);
      expect((await readAnswer(modelAt(`${server.url}${path}`))).text).toBe("native");
    },
  );

  test.each([[""], ["/"], ["/chat/completions"]])(
    "that ends in /v1%s means the compatible route",
    async (path) => {
      const server = await startModelServer([{ text: "compatible" }]);
      servers.push(server);
      expect((await readAnswer(modelAt(`${server.url}${path}`))).text).toBe("compatible");
      const ports = { fetch, clock: new FakeClock(), newId };
      const where = { provider: "ollama", endpoint: server.url, timeoutMs: 1000 };
      const never = new AbortController().signal;
      expect(await findProviderKind("ollama")?.listModels?.(where, ports, never)).toEqual(["test-model"]);
    },
  );

  test("whose host begins with v1 means nothing by it", () => {
    const kind = findProviderKind("ollama");
    expect(kind?.parametersAt("http://v1.example")).toContain("top_k");
    expect(kind?.parametersAt("http://v1.example/v1")).not.toContain("top_k");
    expect(kind?.endpointFault?.("v1.example/v1")).toBe("is not an http or https address");
  });
});

describe("an answer", () => {
  test("keeps thoughts out of the text, and hands them back with the calls", async () => {
    const { server, model } = await serve([
      { thinking: "Adding.", calls: [{ name: "add", arguments: { a: 1 } }] },
    ]);
    const { text, calls, end } = await readAnswer(model);
    expect(text).toBe("");
    expect(calls[0]?.id).toMatch(/^call[0-9a-f]/);
    await readAnswer(model, {
      ...requestOf("hi"),
      messages: [
        { role: "assistant", content: text, toolCalls: calls, ...(end?.echo && { echo: end.echo }) },
      ],
    });
    expect(server.requests[1]?.body.messages[0]).toMatchObject({
      thinking: "Adding.",
      tool_calls: [{ function: { name: "add" } }],
    });
  });

  test.each<[string | null, FinishReason]>([
    ["stop", "stop"],
    ["load", "stop"],
    [null, "stop"],
    ["length", "length"],
  ])("that ends for the reason %p", async (reason, finish) => {
    const { model } = await serve([{ text: ["hi"], finish: reason }]);
    expect((await readAnswer(model)).end).toMatchObject({ finish });
  });

  test("text that does not look like a call is not read as one", async () => {
    const body = `{"message":{"content":"hi","tool_calls":[null,7,{},{"function":"add"}]},"done":true}\n`;
    const { calls, text } = await readAnswer((await serve([{ body }])).model);
    expect([text, calls]).toEqual(["hi", []]);
  });

  test("may hold blank lines, and end without a line feed", async () => {
    const body = `\n${ollamaWire
      .events({ text: ["a", "b"] })
      .join("\r\n\n")
      .trimEnd()}`;
    expect(await readAnswer((await serve([{ body }])).model)).toMatchObject({
      text: "ab",
      failure: undefined,
    });
  });

  test("with a line of more than 4 MiB is unusable", async () => {
    const { failure } = await readAnswer((await serve([{ text: ["x".repeat(5_000_000)] }])).model);
    expect(failure).toMatchObject({ failure: "unusable" });
    expect(failure?.message).toMatch(/4 MiB/);
  });

  test("of more than 16 MiB is unusable", async () => {
    const line = ollamaWire.events({ text: ["x".repeat(1_000_000)] })[0] ?? "";
    const { failure } = await readAnswer((await serve([{ body: line.repeat(18) }])).model);
    expect(failure?.message).toMatch(/16 MiB/);
  });
});

test("a model that the server lacks comes with how to get it", async () => {
  const body = JSON.stringify({ error: "model 'llama9' not found" });
  const { failure } = await readAnswer((await serve([{ status: 404, body }])).model);
  expect(failure).toMatchObject({ failure: "unsuited" });
  expect(failure?.details.hint).toContain("`ollama pull llama9`");
});
