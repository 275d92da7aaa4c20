import { expect, test } from "bun:test";
import { openSocket, rawRequest } from "../support/raw-http.ts";
import { serveSample } from "./sample-service.ts";

test.concurrent.each([
  ["headers", "GET /v1/things HTTP/1.1\r\nHost: localhost\r\nX-Sl"],
  ["body", "POST /v1/things HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"],
])("a client that stops in the middle of its %s is closed by the idle timeout", async (_part, start) => {
  await using sample = serveSample({}, 1);
  const answer = await rawRequest(sample.port, start, { until: () => false });
  expect(answer.closed).toBe(true);
});

test("a thousand idle connections don't keep others from being served", async () => {
  await using sample = serveSample();
  const idle = await Promise.all(Array.from({ length: 1000 }, () => openSocket(sample.port)));
  expect((await fetch(`${sample.url}/healthz`)).status).toBe(200);
  for (const socket of idle) socket.destroy();
});
