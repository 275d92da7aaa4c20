import { expect } from "bun:test";
import { join } from "node:path";
import { executableTest, startServer } from "../support/executable.ts";
import { endlessModel, linearModel, writeModelFile } from "../support/onnx-folder.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { byteTokenizer, byteTokenizerConfig, speakingModel } from "../support/text-models.ts";
import { writeFiles } from "../support/write-files.ts";

executableTest("the executable runs models of local files, and ends one that has no end", async () => {
  using folder = temporaryFolder();
  const prompt = "user: Hi\nassistant:";
  const models = join(folder.path, ".argosy/models");
  writeModelFile(models, "linear.onnx", linearModel);
  writeModelFile(models, "endless.onnx", endlessModel);
  writeModelFile(models, "tiny/model.onnx", speakingModel("Añil 👋🏽", prompt.length));
  writeModelFile(models, "tiny/tokenizer.json", byteTokenizer);
  writeModelFile(models, "tiny/tokenizer_config.json", byteTokenizerConfig);
  writeFiles(folder.path, {
    "agents/tiny.agent.yaml": JSON.stringify({
      apiVersion: "platform/v1",
      kind: "Agent",
      metadata: { name: "tiny" },
      spec: { model: { primary: { provider: "onnx", model: "tiny" } }, prompts: { system: "" } },
    }),
  });
  await using server = await startServer(folder.path);
  for (const name of ["linear", "endless"]) {
    const body = { name, version: "1.0.0", path: `${name}.onnx` };
    expect(await server.call("POST", "/v1/ml/models", { body })).toMatchObject({ status: 201 });
  }
  const inputs = { x: { shape: [1, 2], data: [3, 4] } };
  const predict = () => server.call("POST", "/v1/ml/models/linear/predict", { body: { inputs } });
  expect((await predict()).body).toMatchObject({ outputs: { y: { data: [2.5] } } });
  expect((await server.run("tiny", "Hi")).body).toMatchObject({ response: "Añil 👋🏽", provider: "onnx" });

  const leaving = new AbortController();
  const endless = server
    .call("POST", "/v1/ml/models/endless/predict", {
      body: { inputs: { x: { shape: [1], data: [1] } } },
      signal: leaving.signal,
    })
    .catch(() => "left");
  expect((await server.call("GET", "/v1/ml/models")).status).toBe(200);
  leaving.abort();
  expect(await endless).toBe("left");
  expect((await predict()).body).toMatchObject({ outputs: { y: { data: [2.5] } } });
});
