import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { writeModelFile } from "../../../support/onnx-folder.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";
import { byteTokenizer, byteTokenizerConfig, speakingModel } from "../../../support/text-models.ts";

const prompt = "system: Be kind.\nuser: Hi\nassistant:";
const spoken = "Grüß Gott! 👋🏽";

let workspace: ReturnType<typeof temporaryFolder>;
let daemon: TestDaemon;

const speaker = (model: string, more: Record<string, unknown> = {}) =>
  agentFile("speaker", {
    model: { primary: { provider: "onnx", model, ...more } },
    prompts: { system: "Be kind." },
  });

beforeAll(async () => {
  workspace = temporaryFolder();
  const folder = join(workspace.path, ".argosy/models");
  for (const [path, content] of Object.entries({
    "model.onnx": speakingModel(spoken, prompt.length, "cache"),
    "tokenizer.json": byteTokenizer,
    "tokenizer_config.json": byteTokenizerConfig,
  })) {
    writeModelFile(folder, `tiny/${path}`, content);
  }
  daemon = await startDaemon({
    workspace: workspace.path,
    agents: {
      "speaker.agent.yaml": speaker("tiny"),
      "lost.agent.yaml": speaker("nowhere").replace('"speaker"', '"lost"'),
      "warm.agent.yaml": speaker("tiny", { parameters: { temperature: 1 } }).replace('"speaker"', '"warm"'),
    },
  });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  workspace[Symbol.dispose]();
});

const bytes = new TextEncoder().encode(spoken).length;

test("an agent answers by a model of local files, with exact usage and at no price", async () => {
  const { status, body } = await daemon.run("speaker", { query: "Hi" });
  expect({ status, response: body.response, usage: body.usage }).toEqual({
    status: 200,
    response: spoken,
    usage: {
      input_tokens: prompt.length,
      output_tokens: bytes + 1,
      total_tokens: prompt.length + bytes + 1,
    },
  });
  expect(body).toMatchObject({ provider: "onnx", model: "tiny" });
});

test("the model is also there under its own name, streamed", async () => {
  const messages = [
    { role: "system", content: "Be kind." },
    { role: "user", content: "Hi" },
  ];
  const { text } = await daemon.call("POST", "/v1/chat/completions", {
    body: { model: "onnx/tiny", messages, stream: true },
  });
  const pieces = text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)).choices[0]?.delta?.content ?? "");
  expect(pieces.join("")).toBe(spoken);
  expect(pieces.filter((piece) => piece !== "").length).toBeGreaterThan(5);
});

test.each([
  ["lost", /spec\.model\.primary\.model .*<data>\/models\/nowhere/],
  ["warm", /temperature/],
])("an agent that can't be built (%s) is failed and says why", async (name, error) => {
  const { body } = await daemon.call("GET", `/v1/agents/${name}`);
  expect(body).toMatchObject({ status: "failed", error: expect.stringMatching(error) });
});

test.each(["../../etc", "tiny/../..", "", "nowhere"])(
  "a model name that leads to no model (%s) is 400 or 404",
  async (model) => {
    const { status } = await daemon.call("POST", "/v1/chat/completions", {
      body: { model: `onnx/${model}`, messages: [{ role: "user", content: "Hi" }] },
    });
    expect([400, 404]).toContain(status);
  },
);
