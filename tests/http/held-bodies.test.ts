import { expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { BodyBudget } from "../../src/http/bodies/body-budget.ts";
import { listen } from "../../src/http/listen.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { sampleService } from "./sample-service.ts";

const kib = 1024;
const budgetBytes = 1024 * kib;

async function setUp() {
  const held = new AsyncDisposableStack();
  const clock = new FakeClock();
  const bodies = new BodyBudget(clock, budgetBytes);
  // Two services of one process share the budget.
  const ports = [0, 1].map(() => {
    const address = { host: "127.0.0.1", port: 0 };
    const listener = listen(sampleService({ clock }).app, address, { clock, bodies });
    held.defer(() => listener.stop(0));
    return listener.port;
  });
  /** Sends a head and `bytes` of a body that never ends; resolves with the status, if one arrives. */
  const unfinished = (bytes: number, framing: "length" | "chunked", port = ports[0] ?? 0) => {
    const socket: Socket = connect(port, "127.0.0.1");
    held.defer(() => void socket.destroy());
    const status = new Promise<string>((resolve) => {
      socket.once("data", (data) => resolve(data.toString().slice(9, 12)));
    });
    socket.on("error", () => {});
    const framed = framing === "length" ? `content-length: ${bytes + 1}` : "transfer-encoding: chunked";
    socket.write(
      `POST /v1/things HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${framed}\r\n\r\n`,
    );
    if (framing === "chunked") socket.write(`${bytes.toString(16)}\r\n`);
    socket.write(" ".repeat(bytes));
    return status;
  };
  /** Resolves once that many bytes are held. */
  const holding = async (bytes: number) => {
    while (bodies.bytes < bytes) await new Promise((resolve) => setImmediate(resolve));
  };
  const post = (body: string) =>
    fetch(`http://127.0.0.1:${ports[1]}/v1/things`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
  const large = JSON.stringify({ query: "x".repeat(400 * kib) });
  return { held, clock, bodies, unfinished, holding, post, large };
}

test.each(["length", "chunked"] as const)(
  "unfinished bodies (%s) of one service make large bodies of another 503, and let small ones pass",
  async (framing) => {
    const { held, bodies, unfinished, holding, post, large } = await setUp();
    await using _ = held;
    for (let body = 0; body < 8; body++) void unfinished(100 * kib, framing);
    await holding(800 * kib);
    const refused = await post(large);
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(await refused.json()).toMatchObject({ error: "too_busy" });
    expect((await post("{}")).status).toBeLessThan(300);
    expect(bodies.bytes).toBeLessThanOrEqual(budgetBytes);
  },
);

test("an unfinished body makes way after 5 seconds, with 503", async () => {
  const { held, clock, unfinished, holding, post, large } = await setUp();
  await using _ = held;
  const first = unfinished(200 * kib, "length");
  await holding(200 * kib);
  for (let body = 0; body < 3; body++) void unfinished(200 * kib, "chunked");
  await holding(800 * kib);
  expect((await post(large)).status).toBe(503);
  await clock.advance(5000);
  expect((await post(large)).status).toBeLessThan(300);
  expect(await first).toBe("503");
});
