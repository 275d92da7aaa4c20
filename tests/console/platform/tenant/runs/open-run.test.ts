import { expect, test } from "bun:test";
import { HandshakeRefused, type Stream } from "../../../../../src/console/api/run-stream.ts";
import { openRun } from "../../../../../src/console/platform/tenant/runs/open-run.ts";
import type { PlatformFrame } from "../../../../../src/contracts/platform/clients/run-client.ts";
import type { PlatformRunRequest } from "../../../../../src/contracts/platform/runs/runs.ts";
import { AppError } from "../../../../../src/kit/app-error.ts";

const token = (content: string): PlatformFrame => ({ type: "token", content });
const { signal } = new AbortController();

/** A platform that records its calls. */
function platformOf(overHttp: () => AsyncGenerator<PlatformFrame, void>) {
  const asked: unknown[] = [];
  return {
    asked,
    platform: {
      async streamTicket(name: string, { query }: { query?: string } = {}) {
        asked.push(["ticket", name, query]);
        return { ticket: "t/1", expires_in: 30 };
      },
      streamRun(name: string, request: PlatformRunRequest) {
        asked.push(["http", name, request]);
        return overHttp();
      },
    },
  };
}

async function read(frames: AsyncIterable<PlatformFrame>): Promise<PlatformFrame[]> {
  const all: PlatformFrame[] = [];
  for await (const frame of frames) all.push(frame);
  return all;
}

test("a run uses the socket that its ticket opens; the question is in no address", async () => {
  const { platform, asked } = platformOf(async function* () {});
  const streams: Stream[] = [];
  async function* socket(stream: Stream) {
    streams.push(stream);
    yield token("yes");
  }
  const frames = openRun(platform, socket, "tea shop", { query: "Secret?", session_id: "s 1" }, signal);
  expect(await read(frames)).toEqual([token("yes")]);
  expect(asked).toEqual([["ticket", "tea shop", "Secret?"]]);
  expect(streams.map(({ service, path }) => [service, path])).toEqual([
    ["platform", "/api/v1/agents/tea%20shop/run/stream?ticket=t%2F1&session_id=s+1"],
  ]);
});

test("a refused handshake is asked again over HTTP, which says why", async () => {
  const refusal = new AppError("payment_required", "credit_budget_exhausted", "The credits are used up.");
  const { platform, asked } = platformOf(
    // biome-ignore lint/correctness/useYield: refused before its first frame
    async function* () {
      throw refusal;
    },
  );
  // biome-ignore lint/correctness/useYield: refused before its first frame
  async function* socket(): AsyncGenerator<PlatformFrame, void> {
    throw new HandshakeRefused("closed");
  }
  const request = { query: "Tea?" };
  await expect(read(openRun(platform, socket, "a", request, signal))).rejects.toBe(refusal);
  expect(asked).toEqual([
    ["ticket", "a", "Tea?"],
    ["http", "a", request],
  ]);
});

test("a connection that breaks in the middle is not asked again", async () => {
  const { platform, asked } = platformOf(async function* () {});
  async function* socket() {
    yield token("y");
    throw new Error("cut");
  }
  await expect(read(openRun(platform, socket, "a", { query: "Tea?" }, signal))).rejects.toThrow("cut");
  expect(asked).toHaveLength(1);
});

test("a context goes over HTTP, as no socket carries one", async () => {
  const { platform, asked } = platformOf(async function* () {
    yield token("hi");
  });
  async function* socket(): AsyncGenerator<PlatformFrame, void> {}
  const request = { query: "Tea?", context: { plan: "gold" } };
  expect(await read(openRun(platform, socket, "a", request, signal))).toEqual([token("hi")]);
  expect(asked).toEqual([["http", "a", request]]);
});
