import { afterEach, expect, test } from "bun:test";
import { createEmbedders, type Embedders } from "../../../../src/retrieval/embedding/create-embedders.ts";
import type { Embedder } from "../../../../src/retrieval/embedding/embedder.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { refusal } from "../../../support/refusal.ts";
import { retrievalPorts } from "../../../support/retrieval-ports.ts";

const never = new AbortController().signal;

let embedders: Embedders;
afterEach(() => embedders.close());

function stage(dimension?: number): { embedder: Embedder; clock: FakeClock } {
  const clock = new FakeClock();
  embedders = createEmbedders(retrievalPorts({ clock }));
  return { embedder: embedders.embedderOf({ provider: "local_hash", dimension }), clock };
}

/** Returns the number of turns of the event loop before the work was done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let handle = setImmediate(function next() {
    turns++;
    handle = setImmediate(next);
  });
  await work;
  clearImmediate(handle);
  return turns;
}

const many = Array.from({ length: 3000 }, (_, at) =>
  `Passage ${at} is about number ${at * 7919} and its square. `.repeat(5),
);

test("it says what it is", async () => {
  const { embedder } = stage();
  expect(embedder).toMatchObject({ id: "local_hash/1@384", isLexical: true, defaultThreshold: 0.3 });
  expect(await embedder.dimension(never)).toBe(384);
});

test("questions and documents have the same vectors", async () => {
  const { embedder } = stage();
  const [query, document] = [
    await embedder.embed(["red apples"], "query", never),
    await embedder.embed(["red apples"], "document", never),
  ];
  expect(query).toEqual(document);
});

test("nothing in, nothing out; zeros for what says nothing", async () => {
  const { embedder } = stage(32);
  expect(await embedder.embed([], "document", never)).toHaveLength(0);
  expect(await embedder.embed(["", " \n", "..."], "document", never)).toEqual(new Float32Array(96));
});

test("few texts are hashed at once, without a worker", async () => {
  const { embedder, clock } = stage();
  expect(await turnsDuring(embedder.embed(["a question"], "query", never))).toBe(0);
  expect(clock.pending).toBe(0);
});

test("many are hashed in the worker, alike and in order, while the event loop continues", async () => {
  const { embedder } = stage();
  const work = embedder.embed(many, "document", never);
  expect(await turnsDuring(work)).toBeGreaterThan(1);
  const vectors = await work;
  expect(vectors).toHaveLength(many.length * 384);
  for (const at of [0, 1, 1499, 2999]) {
    const alone = await embedder.embed([many[at] ?? ""], "document", never);
    expect([...vectors.slice(at * 384, (at + 1) * 384)]).toEqual([...alone]);
  }
});

test("several batches at the same time don't mix", async () => {
  const { embedder } = stage(64);
  const parts = [many.slice(0, 900), many.slice(900, 1700), many.slice(1700)];
  const vectors = await Promise.all(parts.map((part) => embedder.embed(part, "document", never)));
  const whole = await embedder.embed(many, "document", never);
  expect(vectors.flatMap((part) => [...part])).toEqual([...whole]);
});

test("embedders of two dimensions share the worker", async () => {
  const { embedder } = stage(64);
  const other = embedders.embedderOf({ provider: "local_hash", dimension: 32 });
  const [one, two] = await Promise.all([
    embedder.embed(many, "document", never),
    other.embed(many, "document", never),
  ]);
  expect([one.length, two.length]).toEqual([many.length * 64, many.length * 32]);
});

test("a line of 5 MB leaves the event loop free", async () => {
  const { embedder } = stage();
  const line = "an endless line without an end ".repeat(170_000);
  expect(await turnsDuring(embedder.embed([line], "document", never))).toBeGreaterThan(10);
});

test("an abort ends it at once, with its reason; the worker continues for others", async () => {
  const { embedder } = stage();
  const stop = new AbortController();
  const work = embedder.embed(many, "document", stop.signal).catch((thrown) => thrown);
  stop.abort("enough");
  expect(await work).toBe("enough");
  expect(await embedder.embed(many.slice(0, 100), "document", never)).toHaveLength(100 * 384);
  expect(await embedder.embed(["x"], "query", stop.signal).catch((thrown) => thrown)).toBe("enough");
});

test("the worker ends when nothing came for half a minute, and comes back", async () => {
  const { embedder, clock } = stage();
  await embedder.embed(many, "document", never);
  expect(clock.pending).toBe(1);
  await clock.advance(29_000);
  await embedder.embed(many, "document", never);
  await clock.advance(29_000);
  expect(clock.pending).toBe(1);
  await clock.advance(1_000);
  expect(clock.pending).toBe(0);
  expect(await embedder.embed(many.slice(0, 100), "document", never)).toHaveLength(100 * 384);
});

test("work in progress at the close fails with 502", async () => {
  const { embedder, clock } = stage();
  const work = refusal(embedder.embed(many, "document", never));
  embedders.close();
  expect(await work).toMatchObject({ code: "embedder_failed", status: 502 });
  expect(clock.pending).toBe(0);
});

test("a process ends by itself once the thread is closed", async () => {
  const script = `
    import { createHashThread } from "./src/retrieval/embedding/local-hash/hash-thread.ts";
    import { systemClock } from "./src/kit/clock.ts";
    const thread = createHashThread(systemClock);
    const vectors = await thread.hash(["one", "two"], 16, new AbortController().signal);
    console.log(vectors.length);
    thread.close();`;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
  expect(await new Response(child.stdout).text()).toBe("32\n");
  expect(await child.exited).toBe(0);
});
