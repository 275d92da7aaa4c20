import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Tensor } from "../../../src/onnx/onnx-runtime.ts";
import {
  endlessModel,
  identityModel,
  linearModel,
  never,
  type OnnxFolder,
  onesModel,
  onnxFolder,
} from "../../support/onnx-folder.ts";
import { onnxModel, rawData } from "../../support/onnx-model.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const rows = (...data: number[]): Tensor => ({
  type: "float32",
  shape: [data.length / 2, 2],
  data: Float32Array.from(data),
});
const count = (value: number): Record<string, Tensor> => ({
  count: { type: "int64", shape: [1], data: BigInt64Array.of(BigInt(value)) },
});
const one = { type: "float32", shape: [1], data: Float32Array.of(1) } satisfies Tensor;

/** Returns the error of a call; fails the test if there is none. */
async function faultOf(call: Promise<unknown>): Promise<{ status?: number; code?: string; message: string }> {
  try {
    await call;
  } catch (thrown) {
    const { status, code, message } = thrown as { status?: number; code?: string; message: string };
    return { ...(status && { status }), ...(code && { code }), message };
  }
  throw new Error("it did not fail");
}

describe("one process for all", () => {
  let folder: OnnxFolder;
  beforeAll(() => {
    folder = onnxFolder();
    folder.write("linear.onnx", linearModel);
    folder.write("ones.onnx", onesModel);
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  test("a model tells what it takes and gives, and gives it", async () => {
    const session = await folder.runtime.open("linear.onnx", never);
    expect(session.inputs).toEqual([{ name: "x", type: "float32", shape: [-1, 2] }]);
    expect(session.outputs).toEqual([{ name: "y", type: "float32", shape: [-1, 1] }]);
    const { y } = await session.run({ x: rows(1, 2, 3, 4, -1, 0.5) }, never);
    expect(y).toEqual({ type: "float32", shape: [3, 1], data: Float32Array.of(0.5, 2.5, -2) });
  });

  test.each<[Parameters<typeof identityModel>[0], Tensor["type"], Tensor["data"]]>([
    ["float32", "float32", Float32Array.of(1.5, -0, Number.POSITIVE_INFINITY)],
    ["float64", "float64", Float64Array.of(Math.PI, 1e300)],
    ["float16", "float32", Float32Array.of(0.5, -65_504)],
    ["int32", "int32", Int32Array.of(-(2 ** 31), 2 ** 31 - 1)],
    ["int64", "int64", BigInt64Array.of(-(2n ** 63n), 2n ** 63n - 1n)],
    ["bool", "bool", Uint8Array.of(1, 0, 1)],
    ["string", "string", ["Grüße", "", "👋🏽"]],
  ])("%s passes through", async (type, own, data) => {
    folder.write(`${type}.onnx`, identityModel(type));
    const session = await folder.runtime.open(`${type}.onnx`, never);
    const tensor: Tensor = { type: own, shape: [data.length], data };
    expect((await session.run({ x: tensor }, never)).y).toEqual(tensor);
  });

  test("calls that come at once are answered each with its own", async () => {
    const sessions = await Promise.all([1, 2].map(() => folder.runtime.open("linear.onnx", never)));
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, turn) => sessions[turn % 2]?.run({ x: rows(turn, 0) }, never)),
    );
    expect(answers.map((answer) => answer?.y?.data[0])).toEqual(
      Array.from({ length: 40 }, (_, turn) => 2 * turn + 0.5),
    );
  });

  test.each<[string, Record<string, Tensor>, RegExp]>([
    ["nothing", {}, /needs the input x/],
    ["an input it lacks", { z: one }, /has no input named z/],
    [
      "another type",
      { x: { type: "int64", shape: [1, 2], data: BigInt64Array.of(1n, 2n) } },
      /takes float32 for x, not int64/,
    ],
    ["another shape", { x: one }, /failed: .*rank/i],
    ["a shape of another size", { x: { ...one, shape: [2, 2] } }, /linear\.onnx/],
  ])("%s is refused", async (_, feeds, message) => {
    const session = await folder.runtime.open("linear.onnx", never);
    expect(await faultOf(session.run(feeds, never))).toEqual({
      status: 422,
      code: "onnx_failed",
      message: expect.stringMatching(message),
    });
  });

  test("what a model says of itself names no file of its makers", async () => {
    const session = await folder.runtime.open("ones.onnx", never);
    const { message } = await faultOf(session.run(count(1e15), never));
    expect(message).toMatch(/Tensor shape is too large/);
    expect(message).not.toMatch(/azure|\.cc|onnxruntime\//);
  });

  test("memory is bounded, and the next call continues", async () => {
    const session = await folder.runtime.open("ones.onnx", never);
    const fault = await faultOf(session.run(count(900_000_000), never));
    expect(fault).toMatchObject({ code: "onnx_failed", message: expect.stringMatching(/more memory/) });
    expect((await session.run(count(3), never)).ones?.data).toEqual(Float32Array.of(1, 1, 1));
  });

  test("an answer too large to be sent is refused", async () => {
    const session = await folder.runtime.open("ones.onnx", never);
    expect(await faultOf(session.run(count(20_000_000), never))).toMatchObject({
      code: "onnx_failed",
      message: expect.stringMatching(/more than 64 MiB/),
    });
  });

  test.each<[string, Uint8Array | string, RegExp]>([
    ["an empty file", "", /can't be loaded: No graph was found/],
    ["a text", "not a model\n".repeat(50), /protobuf parsing failed/],
    ["a cut-off model", linearModel.subarray(0, linearModel.length - 40), /can't be loaded/],
    [
      "an operator set to come",
      onnxModel({ inputs: [], outputs: [], nodes: [] }, { opset: 99 }),
      /opset 99|Opset 99/,
    ],
    [
      "an operator that does not exist",
      onnxModel({
        inputs: [{ name: "x", type: "float32", shape: [1] }],
        outputs: [{ name: "y", type: "float32", shape: [1] }],
        nodes: [{ op: "Teleport", inputs: ["x"], outputs: ["y"] }],
      }),
      /Teleport/,
    ],
  ])("%s is not a model", async (_, content, message) => {
    folder.write("bad.onnx", content);
    expect(await faultOf(folder.runtime.open("bad.onnx", never))).toEqual({
      status: 422,
      code: "model_invalid",
      message: expect.stringMatching(message),
    });
  });

  test("a file of 10 GiB is 422 before it is read", async () => {
    folder.write("huge.onnx", "");
    truncateSync(join(folder.path, "huge.onnx"), 10 * 2 ** 30);
    expect(await faultOf(folder.runtime.open("huge.onnx", never))).toEqual({
      status: 422,
      code: "model_invalid",
      message: expect.stringMatching(/larger than the 1024 MiB/),
    });
  });

  test("a file that was replaced is loaded anew, and an open session does not change under its user", async () => {
    folder.write("swap.onnx", identityModel("float32"));
    const before = await folder.runtime.open("swap.onnx", never);
    writeFileSync(join(folder.path, "swap.onnx"), linearModel);
    const after = await folder.runtime.open("swap.onnx", never);
    expect(after.inputs).toEqual([{ name: "x", type: "float32", shape: [-1, 2] }]);
    expect(await faultOf(before.run({ x: one }, never))).toMatchObject({
      status: 404,
      code: "model_not_found",
    });
  });

  test("closing one of two sessions leaves the other, closing twice does nothing", async () => {
    const [first, second] = await Promise.all([1, 2].map(() => folder.runtime.open("linear.onnx", never)));
    await first?.close();
    await first?.close();
    expect((await second?.run({ x: rows(1, 1) }, never))?.y?.data).toEqual(Float32Array.of(1.5));
    await second?.close();
    expect((await second?.run({ x: rows(1, 1) }, never))?.y?.data).toEqual(Float32Array.of(1.5));
  });
});

describe("weights beside the model", () => {
  const weights = { type: "float32", data: [10, 20] } as const;
  const external = (location: string) =>
    onnxModel({
      inputs: [{ name: "x", type: "float32", shape: [2] }],
      outputs: [{ name: "y", type: "float32", shape: [2] }],
      constants: [{ name: "w", ...weights, shape: [2], external: { location } }],
      nodes: [{ op: "Add", inputs: ["x", "w"], outputs: ["y"] }],
    });

  let folder: OnnxFolder;
  beforeAll(() => {
    folder = onnxFolder();
    folder.write("secret.bin", rawData(weights));
  });
  afterAll(() => folder[Symbol.asyncDispose]());

  test("are loaded with it", async () => {
    folder.write("m/model.onnx", external("model.onnx_data"));
    folder.write("m/model.onnx_data", rawData(weights));
    const session = await folder.runtime.open("m/model.onnx", never);
    const { y } = await session.run(
      { x: { type: "float32", shape: [2], data: Float32Array.of(1, 2) } },
      never,
    );
    expect(y?.data).toEqual(Float32Array.of(11, 22));
  });

  test.each(["../secret.bin", "/etc/passwd", "missing.bin", "sub/../../secret.bin"])(
    "not from %s",
    async (location) => {
      const model = `${Bun.hash(location)}/model.onnx`;
      folder.write(model, external(location));
      expect(await faultOf(folder.runtime.open(model, never))).toMatchObject({
        code: "model_invalid",
        message: expect.stringMatching(/which is not beside it/),
      });
    },
  );
});

describe("a model that never ends", () => {
  test("is 422 and stopped when its time is over; others are loaded again and continue", async () => {
    await using folder = onnxFolder({ limits: { callMs: 1500 } });
    folder.write("linear.onnx", linearModel);
    folder.write("endless.onnx", endlessModel);
    const linear = await folder.runtime.open("linear.onnx", never);
    const endless = await folder.runtime.open("endless.onnx", never);
    const [fault, answer] = await Promise.all([
      faultOf(endless.run({ x: one }, never)),
      linear.run({ x: rows(1, 1) }, never),
    ]);
    expect(fault).toMatchObject({
      status: 422,
      code: "onnx_failed",
      message: expect.stringMatching(/1.5 seconds/),
    });
    expect(answer.y?.data).toEqual(Float32Array.of(1.5));
  });

  test("lets its caller go at once, and is ended soon after", async () => {
    await using folder = onnxFolder({ limits: { graceMs: 100 } });
    folder.write("linear.onnx", linearModel);
    folder.write("endless.onnx", endlessModel);
    const linear = await folder.runtime.open("linear.onnx", never);
    const endless = await folder.runtime.open("endless.onnx", never);
    const leaving = new AbortController();
    const left = faultOf(endless.run({ x: one }, leaving.signal));
    const waiting = new AbortController();
    const neverBegun = faultOf(linear.run({ x: rows(0, 0) }, waiting.signal));
    waiting.abort(new Error("I can't wait"));
    expect(await neverBegun).toEqual({ message: "I can't wait" });
    leaving.abort(new Error("I must go"));
    expect(await left).toEqual({ message: "I must go" });
    expect((await linear.run({ x: rows(1, 1) }, never)).y?.data).toEqual(Float32Array.of(1.5));
  });
});

test("models used longest ago make room for others", async () => {
  const size = linearModel.length;
  await using folder = onnxFolder({ limits: { modelBytesMax: 2 * size + 10 } });
  for (const name of ["a", "b", "c"]) folder.write(`${name}.onnx`, linearModel);
  const sessions = [];
  for (const name of ["a", "b", "c"]) sessions.push(await folder.runtime.open(`${name}.onnx`, never));
  for (const session of [...sessions, ...sessions]) {
    expect((await session.run({ x: rows(1, 1) }, never)).y?.data).toEqual(Float32Array.of(1.5));
  }
  folder.write("large.onnx", Buffer.concat([linearModel, Buffer.alloc(2 * size)]));
  expect(await faultOf(folder.runtime.open("large.onnx", never))).toMatchObject({ code: "model_invalid" });
});

test("a signal that has aborted already starts nothing", async () => {
  await using folder = onnxFolder({ childCommand: ["/nonexistent"] });
  folder.write("linear.onnx", linearModel);
  const gone = AbortSignal.abort(new Error("gone"));
  expect(await faultOf(folder.runtime.open("linear.onnx", gone))).toEqual({ message: "gone" });
});

test("a process that can't be started is 503 with that reason", async () => {
  await using folder = onnxFolder({ childCommand: ["/nonexistent"] });
  folder.write("linear.onnx", linearModel);
  expect(await faultOf(folder.runtime.open("linear.onnx", never))).toMatchObject({
    status: 503,
    code: "onnx_unavailable",
  });
});

test("too many calls at once are refused", async () => {
  // The last place is for another owner.
  await using folder = onnxFolder({ limits: { waitingMax: 4 } });
  folder.write("linear.onnx", linearModel);
  const session = await folder.runtime.open("linear.onnx", never);
  const calls = await Promise.allSettled([1, 2, 3, 4].map(() => session.run({ x: rows(1, 1) }, never)));
  expect(calls.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled", "rejected"]);
  expect((await session.run({ x: rows(1, 1) }, never)).y?.data).toEqual(Float32Array.of(1.5));
});

const children = () => {
  const { stdout } = Bun.spawnSync(["pgrep", "-P", String(process.pid), "-f", "onnx-child"]);
  return stdout
    .toString()
    .split("\n")
    .filter((line) => line !== "")
    .map(Number);
};

test.skipIf(!existsSync("/proc/self/exe"))("a killed process is replaced, and its call is 422", async () => {
  await using folder = onnxFolder();
  folder.write("linear.onnx", linearModel);
  folder.write("endless.onnx", endlessModel);
  const others = new Set(children());
  const linear = await folder.runtime.open("linear.onnx", never);
  const endless = await folder.runtime.open("endless.onnx", never);
  const own = children().filter((pid) => !others.has(pid));
  const [fault, answer] = await Promise.all([
    faultOf(endless.run({ x: one }, never)),
    linear.run({ x: rows(1, 1) }, never),
    ...own.map((pid) => process.kill(pid, "SIGKILL")),
  ]);
  expect(own).toHaveLength(1);
  expect(fault).toMatchObject({
    status: 422,
    code: "onnx_failed",
    message: expect.stringMatching(/brought down/),
  });
  expect(answer.y?.data).toEqual(Float32Array.of(1.5));
});

test.skipIf(!existsSync("/proc/self/exe"))(
  "a process of models ends with its parent, however that ends, in the middle of a call",
  async () => {
    const support = join(import.meta.dir, "../../support/onnx-folder.ts");
    const script = `
    const { endlessModel, never, onnxFolder } = await import(${JSON.stringify(support)});
    const folder = onnxFolder();
    folder.write("endless.onnx", endlessModel);
    const session = await folder.runtime.open("endless.onnx", never);
    void session.run({ x: { type: "float32", shape: [1], data: Float32Array.of(1) } }, never);
    const { stdout } = Bun.spawnSync(["pgrep", "-P", String(process.pid), "-f", "onnx-child"]);
    console.log(stdout.toString().trim());
  `;
    // Files that it cannot clean up are removed with this folder.
    using temporary = temporaryFolder();
    const env = { ...process.env, TMPDIR: temporary.path };
    const parent = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit", env });
    const reader = parent.stdout.getReader();
    const child = Number(new TextDecoder().decode((await reader.read()).value));
    expect(child).toBeGreaterThan(0);
    parent.kill("SIGKILL");
    await parent.exited;
    while (isAlive(child)) await new Promise((resolve) => setImmediate(resolve));
  },
);

function isAlive(pid: number): boolean {
  try {
    // A process that has ended without being waited for is a zombie.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test("after the end every run is 503", async () => {
  await using folder = onnxFolder();
  folder.write("linear.onnx", linearModel);
  const session = await folder.runtime.open("linear.onnx", never);
  await folder.runtime.close();
  expect(await faultOf(session.run({ x: rows(1, 1) }, never))).toMatchObject({
    status: 503,
    code: "onnx_unavailable",
  });
});
