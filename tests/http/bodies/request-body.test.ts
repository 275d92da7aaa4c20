import { expect, test } from "bun:test";
import { BodyBudget } from "../../../src/http/bodies/body-budget.ts";
import { readBody } from "../../../src/http/bodies/request-body.ts";
import type { HttpConnection } from "../../../src/http/call.ts";
import { systemClock } from "../../../src/kit/clock.ts";

/** A connection that keeps the idle timeouts it is given, in seconds. */
function recordingConnection() {
  const timeouts: number[] = [];
  const connection: HttpConnection = {
    timeout: (_request, seconds) => void timeouts.push(seconds),
    requestIP: () => null,
    upgrade: () => false,
  };
  return { timeouts, connection };
}

const request = (body: string) =>
  new Request("http://localhost/", {
    method: "POST",
    headers: { "content-length": String(body.length) },
    body,
  });

test.each([
  ["declared too long", 99, 1000],
  ["too long for the room that is left", 200, 50],
])("a client whose body is %s has 8 to 12 s to read the refusal", async (_why, bytesMax, room) => {
  const { timeouts, connection } = recordingConnection();
  const call = { bodies: new BodyBudget(systemClock, room), connection };
  expect(readBody(request("a".repeat(100)), bytesMax, call)).rejects.toThrow();
  // Bun counts in steps of 4 s, and the first may end at once. So 9 to 12 s, which are three steps, last 8 s at least.
  expect(timeouts).toHaveLength(1);
  expect(timeouts[0]).toBeWithin(9, 13);
});

test("a body that is read leaves the idle timeout as it is", async () => {
  const { timeouts, connection } = recordingConnection();
  const call = { bodies: new BodyBudget(systemClock), connection };
  expect((await readBody(request("a".repeat(100)), 100, call))?.length).toBe(100);
  expect(timeouts).toEqual([]);
});
