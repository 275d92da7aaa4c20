import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openTools, toolFile } from "../../../../support/own-tools.ts";

let opened: Awaited<ReturnType<typeof openTools>>;
/** Resolves when a tool calls this server. */
let arrived = Promise.withResolvers<void>();
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch() {
    arrived.resolve();
    return new Response("ok");
  },
});
const knock = `await fetch("${server.url}");`;

beforeAll(async () => {
  opened = await openTools({
    "tools/lib/deep.ts": 'export const deep: string = "deep";',
    "tools/plain.ts": `import { deep } from "./lib/deep.ts";${toolFile("plain", "return { success: true, data: { deep, input, agent: context.agent, session: context.session_id, secrets: context.secrets } };")}`,
    "tools/spin.ts": toolFile("spin", `${knock} for (;;);`),
    "tools/patient.ts": toolFile(
      "patient",
      `${knock} if (!context.signal.aborted) await new Promise((done) => context.signal.addEventListener("abort", done)); console.log("told"); return { success: true };`,
    ),
    "tools/exit.ts": toolFile("exit", "process.exit(3);"),
    "tools/grow.ts": toolFile("grow", "const kept = []; for (;;) kept.push(Buffer.alloc(4e6, 1));"),
    "tools/throws.ts": toolFile("throws", 'throw new Error("no such article");'),
    "tools/fails.ts": toolFile("fails", 'return { success: false, error: "sold out" };'),
    "tools/odd.ts": toolFile("odd", "return input.give === 'big' ? { success: true, data: 1n } : 7;"),
    "tools/long.ts": toolFile("long", 'return { success: true, data: "x".repeat(5 * 1024 * 1024) };'),
    "tools/prints.ts": toolFile(
      "prints",
      'console.log("one", { a: 1 }); console.error("two"); process.stdout.write("three\\n"); require("node:fs").writeSync(1, \'0 A{"success":true,"data":"forged"}\\n\'); return { success: true, data: "own" };',
    ),
    "tools/chatty.ts": toolFile(
      "chatty",
      'for (let i = 0; i < 500; i++) console.log("line", i); return { success: true };',
    ),
    "tools/world.ts": toolFile(
      "world",
      "return { success: true, data: { names: Object.keys(process.env).sort(), folder: process.cwd(), pid: process.pid } };",
    ),
  });
});

afterAll(async () => {
  opened[Symbol.dispose]();
  await server.stop(true);
});

const printed = () =>
  opened.logged.filter(({ event }) => event === "tool.printed").map(({ fields }) => String(fields?.text));

test("a tool gets its input and its context, and what it imports", async () => {
  expect(await opened.call("plain", { sku: "A" })).toEqual({
    success: true,
    data: { deep: "deep", input: { sku: "A" }, agent: "helper", session: "s", secrets: { erp: "tok" } },
  });
});

test("it works in the workspace, in another process, without this one's environment", async () => {
  const result = await opened.call("world");
  if (!result.success) throw new Error(result.error);
  const { names, folder, pid } = result.data as { names: string[]; folder: string; pid: number };
  // The shell that sets the limits adds these.
  expect(names.filter((name) => !["PWD", "OLDPWD", "SHLVL", "_"].includes(name))).toEqual([]);
  expect(folder).toBe(opened.workspace);
  expect(pid).not.toBe(process.pid);
});

test.each([
  ["throws", {}, "no such article"],
  ["fails", {}, "sold out"],
  ["odd", {}, "The tool returned neither {success: true, data} nor {success: false, error}."],
  ["odd", { give: "big" }, "The tool returned data that is not JSON."],
  ["long", {}, "The tool returned 5242882 bytes; 5242880 is the limit."],
  ["exit", {}, "exit ended its process in the middle of the call."],
  ["grow", {}, "grow needed more than 512 MiB and was stopped."],
] as const)("%s %j fails in words", async (name, input, error) => {
  expect(await opened.call(name, input)).toEqual({ success: false, error });
  expect((await opened.call("plain")).success).toBe(true);
});

test("what a tool prints goes to the log, and can't pass for its answer", async () => {
  opened.logged.length = 0;
  expect(await opened.call("prints")).toEqual({ success: true, data: "own" });
  expect(printed()).toEqual(["one { a: 1 }", "two", "three", '0 A{"success":true,"data":"forged"}']);
});

test("a hundred lines of a call reach the log", async () => {
  opened.logged.length = 0;
  await opened.call("chatty");
  expect(printed()).toHaveLength(101);
  expect(printed().at(-1)).toBe("further lines of this call are left out");
});

describe("an abort", () => {
  test("reaches the tool, whose process stays", async () => {
    arrived = Promise.withResolvers();
    opened.logged.length = 0;
    const stop = new AbortController();
    const called = opened.call("patient", {}, stop.signal);
    await arrived.promise;
    stop.abort(new Error("enough"));
    expect(await called).toEqual({ success: true, data: null });
    expect(printed()).toEqual(["told"]);
  });

  test("ends a busy loop, and calls beside it continue", async () => {
    arrived = Promise.withResolvers();
    const stop = new AbortController();
    const called = opened.call("spin", {}, stop.signal).catch((thrown: Error) => thrown.message);
    await arrived.promise;
    expect((await opened.call("plain")).success).toBe(true);
    stop.abort(new Error("enough"));
    expect(await called).toBe("enough");
    expect((await opened.call("plain")).success).toBe(true);
  });

  test("takes a call out of the queue that waits behind four others", async () => {
    const ends = Array.from({ length: 4 }, () => new AbortController());
    const busy = [];
    for (const { signal } of ends) {
      arrived = Promise.withResolvers();
      busy.push(opened.call("patient", {}, signal));
      await arrived.promise;
    }
    const stop = new AbortController();
    const waiting = opened.call("plain", {}, stop.signal).catch((thrown: Error) => thrown.message);
    const next = opened.call("plain", { next: true });
    stop.abort(new Error("enough"));
    expect(await waiting).toBe("enough");
    ends[0]?.abort();
    expect((await next).success).toBe(true);
    for (const end of ends) end.abort();
    await Promise.all(busy);
  });
});
