import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Value } from "@sinclair/typebox/value";
import {
  MlModel,
  MlModelDetail,
  MlModelList,
  MlPredictionResult,
} from "../../../../src/contracts/daemon/models/ml.ts";
import { ErrorBody } from "../../../../src/contracts/error-body.ts";
import { startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import {
  endlessModel,
  identityModel,
  linearModel,
  onesModel,
  writeModelFile,
} from "../../../support/onnx-folder.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const models = "/v1/ml/models";

let daemon: TestDaemon;
let folder: string;
const write = (name: string, content: Uint8Array | string) => writeModelFile(folder, name, content);
const register = (body: unknown) => daemon.call("POST", models, { body });
const predict = (name: string, body: unknown, signal?: AbortSignal) =>
  daemon.call("POST", `${models}/${name}/predict`, { body, ...(signal && { signal }) });
const x = (...data: number[]) => ({ x: { shape: [data.length / 2, 2], data } });

beforeAll(async () => {
  daemon = await startDaemon();
  folder = join(daemon.workspace, ".argosy/models");
  write("linear.onnx", linearModel);
  write("ones.onnx", onesModel);
  write("endless.onnx", endlessModel);
  write("bad.onnx", "no model");
});
afterAll(() => daemon[Symbol.asyncDispose]());

test("without a model the list is empty", async () => {
  expect((await daemon.call("GET", models)).body).toEqual({ models: [] });
});

test("a model is registered, shown, listed, asked and forgotten", async () => {
  const registered = await register({
    name: "linear",
    version: "1.0.0",
    format: "onnx",
    path: "linear.onnx",
    task: "regression",
    metadata: { owner: "lab", tags: ["a"] },
  });
  const model = {
    name: "linear",
    version: "1.0.0",
    format: "onnx",
    path: "linear.onnx",
    task: "regression",
    metadata: { owner: "lab", tags: ["a"] },
    status: "ready",
    inputs: [{ name: "x", type: "float32", shape: [-1, 2] }],
    outputs: [{ name: "y", type: "float32", shape: [-1, 1] }],
    created_at: "2026-01-01T00:00:00.000Z",
  };
  expect(registered).toMatchObject({ status: 201, body: model });
  expect(Value.Check(MlModel, registered.body)).toBe(true);

  const shown = await daemon.call("GET", `${models}/linear`);
  expect(shown.body).toEqual({ ...model, versions: ["1.0.0"] });
  expect(Value.Check(MlModelDetail, shown.body)).toBe(true);
  const listed = await daemon.call("GET", models);
  expect(listed.body).toEqual({ models: [model] });
  expect(Value.Check(MlModelList, listed.body)).toBe(true);

  const predicted = await predict("linear", { inputs: x(1, 2, 3, 4) });
  expect(predicted).toMatchObject({
    status: 200,
    body: {
      model: "linear",
      version: "1.0.0",
      outputs: { y: { type: "float32", shape: [2, 1], data: [0.5, 2.5] } },
    },
  });
  expect(Value.Check(MlPredictionResult, predicted.body)).toBe(true);

  const deleted = await daemon.call("DELETE", `${models}/linear`);
  expect(deleted).toMatchObject({
    status: 200,
    body: { status: "deleted", name: "linear", versions: ["1.0.0"] },
  });
  expect((await daemon.call("GET", `${models}/linear`)).status).toBe(404);
  expect((await daemon.call("GET", models)).body).toEqual({ models: [] });
});

describe("versions of a name", () => {
  beforeAll(async () => {
    write("other.onnx", identityModel("float32"));
    for (const [version, path] of [
      ["1.9.0", "other.onnx"],
      ["1.10.0", "linear.onnx"],
      ["2.0.0-rc.1", "linear.onnx"],
      ["1.2.0", "other.onnx"],
    ]) {
      expect((await register({ name: "many", version, path })).status).toBe(201);
    }
  });
  afterAll(async () => {
    await daemon.call("DELETE", `${models}/many`);
  });

  test("without one the highest answers, else the one that was asked for", async () => {
    expect((await daemon.call("GET", `${models}/many`)).body).toMatchObject({
      version: "2.0.0-rc.1",
      versions: ["2.0.0-rc.1", "1.10.0", "1.9.0", "1.2.0"],
    });
    expect((await predict("many", { inputs: x(1, 1) })).body).toMatchObject({ version: "2.0.0-rc.1" });
    const body = { version: "1.9.0", inputs: { x: { shape: [3], data: [1, 2, 3] } } };
    expect((await predict("many", body)).body).toMatchObject({
      version: "1.9.0",
      outputs: { y: { data: [1, 2, 3] } },
    });
    expect((await daemon.call("GET", `${models}/many?version=1.2.0`)).body).toMatchObject({
      version: "1.2.0",
    });
  });

  test("a list is of one name, newest first, and as long as requested; a limit of 0 is 400", async () => {
    const versions = async (query: string) =>
      (await daemon.call("GET", `${models}?${query}`)).body.models.map((model: MlModel) => model.version);
    expect(await versions("name=many")).toHaveLength(4);
    expect(await versions("name=many&limit=2")).toHaveLength(2);
    expect(await versions("name=none")).toEqual([]);
    expect((await daemon.call("GET", `${models}?limit=0`)).status).toBe(400);
  });

  test("one may be deleted (then 404), and others that use its file keep working", async () => {
    const deleted = await daemon.call("DELETE", `${models}/many?version=2.0.0-rc.1`);
    expect(deleted.body).toEqual({ status: "deleted", name: "many", versions: ["2.0.0-rc.1"] });
    expect((await predict("many", { inputs: x(1, 1) })).body).toMatchObject({
      version: "1.10.0",
      outputs: { y: { data: [1.5] } },
    });
    expect(await daemon.call("DELETE", `${models}/many?version=2.0.0-rc.1`)).toMatchObject({
      status: 404,
      body: { error: "model_not_found" },
    });
  });
});

describe("a registration", () => {
  test("without a version is 1.0.0, and has no task and metadata", async () => {
    const { body } = await register({ name: "plain", path: "./linear.onnx" });
    expect(body).toMatchObject({ version: "1.0.0", path: "linear.onnx", task: null, metadata: {} });
    await daemon.call("DELETE", `${models}/plain`);
  });

  test("of an existing version is 409, also if several come at the same time", async () => {
    const same = { name: "twice", version: "1.0.0", path: "linear.onnx" };
    const answers = await Promise.all([1, 2, 3].map(() => register(same)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(await register(same)).toMatchObject({ status: 409, body: { error: "model_exists" } });
    await daemon.call("DELETE", `${models}/twice`);
  });

  test("by an absolute path below the folder is kept relative to it", async () => {
    const { status, body } = await register({ name: "absolute", path: join(folder, "linear.onnx") });
    expect({ status, path: body.path }).toEqual({ status: 201, path: "linear.onnx" });
    await daemon.call("DELETE", `${models}/absolute`);
  });

  const valid = { name: "refused", version: "1.0.0", path: "linear.onnx" };
  test.each<[string, unknown, number, string]>([
    ["nothing", undefined, 400, "invalid_request"],
    ["no path", { name: "refused" }, 400, "invalid_request"],
    ["an unknown key", { ...valid, colour: "red" }, 400, "invalid_request"],
    ["another format", { ...valid, format: "pickle" }, 400, "invalid_request"],
    ["a version that is none", { ...valid, version: "latest" }, 400, "invalid_request"],
    ["a name with a slash", { ...valid, name: "a/b" }, 400, "invalid_request"],
    ["a name too long", { ...valid, name: "a".repeat(64) }, 400, "invalid_request"],
    ["an empty path", { ...valid, path: "" }, 400, "invalid_request"],
    ["metadata too large", { ...valid, metadata: { text: "x".repeat(20_000) } }, 400, "invalid_request"],
    ["a file that isn't there", { ...valid, path: "missing.onnx" }, 404, "model_not_found"],
    ["a folder", { ...valid, path: "." }, 403, "path_refused"],
    ["a way out", { ...valid, path: "../runtime.yaml" }, 403, "path_refused"],
    ["a way out by an absolute path", { ...valid, path: "/etc/passwd" }, 403, "path_refused"],
    ["a way out by a link", { ...valid, path: "link.onnx" }, 403, "path_refused"],
    ["a file that is not a model", { ...valid, path: "bad.onnx" }, 422, "model_invalid"],
  ])("with %s is refused, and nothing is kept", async (_, body, status, error) => {
    rmSync(join(folder, "link.onnx"), { force: true });
    symlinkSync("/etc/passwd", join(folder, "link.onnx"));
    const refused = await register(body);
    expect(refused).toMatchObject({ status, body: { error } });
    expect(Value.Check(ErrorBody, refused.body)).toBe(true);
    expect(refused.text).not.toContain(daemon.workspace);
    expect((await daemon.call("GET", `${models}?name=refused`)).body).toEqual({ models: [] });
  });
});

describe("a prediction", () => {
  beforeAll(async () => {
    await register({ name: "linear", path: "linear.onnx" });
    await register({ name: "ones", path: "ones.onnx" });
    await register({ name: "endless", path: "endless.onnx" });
  });

  test.each<[string, string, unknown, number, string, RegExp]>([
    ["of a model nobody registered", "nobody", { inputs: {} }, 404, "model_not_found", /no model nobody/],
    [
      "of a version nobody registered",
      "linear",
      { version: "9.0.0", inputs: {} },
      404,
      "model_not_found",
      /no version 9\.0\.0/,
    ],
    ["of a name like a method of objects", "__proto__", { inputs: {} }, 404, "model_not_found", /no model/],
    ["without inputs", "linear", {}, 400, "invalid_request", /inputs/],
    ["without its input", "linear", { inputs: {} }, 400, "invalid_request", /inputs\.x is missing/],
    [
      "with another input",
      "linear",
      { inputs: { ...x(1, 2), z: { shape: [1], data: [1] } } },
      400,
      "invalid_request",
      /inputs\.z is not an input/,
    ],
    [
      "with another shape",
      "linear",
      { inputs: { x: { shape: [3], data: [1, 2, 3] } } },
      400,
      "invalid_request",
      /shape \[any, 2\]/,
    ],
    [
      "with another number of elements",
      "linear",
      { inputs: { x: { shape: [2, 2], data: [1] } } },
      400,
      "invalid_request",
      /1 elements/,
    ],
    [
      "with texts for numbers",
      "linear",
      { inputs: { x: { shape: [1, 2], data: ["1", "2"] } } },
      400,
      "invalid_request",
      /must have numbers/,
    ],
    [
      "with a negative length",
      "linear",
      { inputs: { x: { shape: [-1, 2], data: [] } } },
      400,
      "invalid_request",
      /shape/,
    ],
    [
      "with nested lists",
      "linear",
      { inputs: { x: { shape: [1, 2], data: [[1, 2]] } } },
      400,
      "invalid_request",
      /data/,
    ],
    [
      "that needs too much memory",
      "ones",
      { inputs: { count: { shape: [1], data: [900_000_000] } } },
      422,
      "onnx_failed",
      /memory/,
    ],
    [
      "with too large an answer",
      "ones",
      { inputs: { count: { shape: [1], data: [250_001] } } },
      422,
      "output_too_large",
      /250001/,
    ],
    [
      "with an answer that can't be sent",
      "ones",
      { inputs: { count: { shape: [1], data: [30_000_000] } } },
      422,
      "onnx_failed",
      /64 MiB/,
    ],
    [
      "that the model refuses",
      "ones",
      { inputs: { count: { shape: [1], data: [-5] } } },
      422,
      "onnx_failed",
      /ones\.onnx failed/,
    ],
  ])("%s is refused", async (_, name, body, status, error, message) => {
    const refused = await predict(name, body);
    expect(Value.Check(ErrorBody, refused.body)).toBe(true);
    expect(refused).toMatchObject({ status, body: { error, message: expect.stringMatching(message) } });
    expect((await predict("linear", { inputs: x(0, 0) })).status).toBe(200);
  });

  test("of no rows gives none", async () => {
    expect((await predict("linear", { inputs: { x: { shape: [0, 2], data: [] } } })).body).toMatchObject({
      outputs: { y: { shape: [0, 1], data: [] } },
    });
  });

  test("with a body of 9 MB is 413", async () => {
    expect(await predict("linear", `{"inputs": "${"x".repeat(9_000_000)}"}`)).toMatchObject({
      status: 413,
      body: { error: "body_too_large" },
    });
  });

  test("many at once are answered each with its own", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => predict("linear", { inputs: x(at, 0) })),
    );
    expect(answers.map(({ body }) => body.outputs.y.data[0])).toEqual(
      Array.from({ length: 20 }, (_, at) => 2 * at + 0.5),
    );
  });

  test("that never ends is stopped at its time limit with 422, and the daemon answers meanwhile", async () => {
    const endless = predict("endless", { inputs: { x: { shape: [1], data: [1] } } });
    expect((await daemon.call("GET", models)).status).toBe(200);
    // The call's own time limit begins with its turn; the clock moves until it has expired.
    let answer: Awaited<typeof endless> | undefined;
    const answered = endless.then((ended) => {
      answer = ended;
    });
    while (answer === undefined) {
      await daemon.call("GET", models);
      await daemon.clock.advance(10_000);
    }
    await answered;
    expect(answer).toMatchObject({
      status: 422,
      body: { error: "onnx_failed", message: expect.stringMatching(/60 seconds/) },
    });
    expect((await predict("linear", { inputs: x(1, 1) })).body).toMatchObject({
      outputs: { y: { data: [1.5] } },
    });
  });

  test("of a replaced file is by the new one; a damaged file is 422 and works once it is repaired, a deleted one is 404", async () => {
    write("changing.onnx", linearModel);
    await register({ name: "changing", path: "changing.onnx" });
    const status = async () => (await daemon.call("GET", `${models}/changing`)).body;
    write("changing.onnx", identityModel("float32"));
    expect((await predict("changing", { inputs: { x: { shape: [1], data: [7] } } })).body).toMatchObject({
      outputs: { y: { data: [7] } },
    });
    write("changing.onnx", "spoilt");
    expect(await predict("changing", { inputs: x(1, 1) })).toMatchObject({
      status: 422,
      body: { error: "model_invalid" },
    });
    expect(await status()).toMatchObject({
      status: "error",
      error: expect.stringMatching(/can't be loaded/),
    });
    rmSync(join(folder, "changing.onnx"));
    expect(await predict("changing", { inputs: x(1, 1) })).toMatchObject({
      status: 404,
      body: { error: "model_not_found" },
    });
    expect(await status()).toMatchObject({
      status: "error",
      error: expect.stringMatching(/no file changing\.onnx/),
    });
    write("changing.onnx", linearModel);
    expect((await predict("changing", { inputs: x(1, 1) })).body).toMatchObject({
      outputs: { y: { data: [1.5] } },
    });
    expect(await status()).toMatchObject({ status: "ready" });
  });
});

test("models survive a restart and are loaded again when they are asked", async () => {
  using workspace = temporaryFolder();
  writeModelFile(join(workspace.path, ".argosy/models"), "m/linear.onnx", linearModel);
  {
    await using first = await startDaemon({ workspace: workspace.path });
    const body = { name: "kept", version: "3.1.4", path: "m/linear.onnx", metadata: { a: 1 } };
    expect((await first.call("POST", models, { body })).status).toBe(201);
  }
  await using second = await startDaemon({ workspace: workspace.path });
  const shown = async () => (await second.call("GET", `${models}/kept`)).body;
  expect(await shown()).toMatchObject({
    status: "registered",
    version: "3.1.4",
    metadata: { a: 1 },
    inputs: [{ name: "x" }],
  });
  const answers = await Promise.all(
    [1, 2].map((at) => second.call("POST", `${models}/kept/predict`, { body: { inputs: x(at, 0) } })),
  );
  expect(answers.map(({ body }) => body.outputs.y.data)).toEqual([[2.5], [4.5]]);
  expect(await shown()).toMatchObject({ status: "ready" });
});
