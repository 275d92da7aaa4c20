import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import type { NetworkRequest } from "../../../../src/engine/tools/network/guarded-network.ts";
import { AppError } from "../../../../src/kit/app-error.ts";
import { newId } from "../../../../src/kit/id.ts";
import { dialect03 } from "../../../../src/services/daemon/a2a/dialect.ts";
import { dialectV1 } from "../../../../src/services/daemon/a2a/dialect-v1.ts";
import {
  type PushConfig,
  PushNotifications,
} from "../../../../src/services/daemon/a2a/push-notifications.ts";
import type { KeptTask } from "../../../../src/services/daemon/a2a/task-store.ts";
import { FakeClock, settle } from "../../../support/fake-clock.ts";
import { recordingLogger } from "../../../support/recording-logger.ts";

function stage(answer: (number: number) => number | Error) {
  const clock = new FakeClock("2026-01-01T00:00:00.000Z");
  const sent: NetworkRequest[] = [];
  const { log, logged } = recordingLogger();
  const pushes = new PushNotifications({
    ...{ clock, newId, log, random: () => 0.5 },
    network: {
      async request(request) {
        sent.push(request);
        const given = answer(sent.length);
        if (given instanceof Error) throw given;
        return {
          status: given,
          headers: new Headers(),
          url: request.url,
          body: new Uint8Array(),
          wasCut: false,
        };
      },
    },
    write: (push, task, update) =>
      (push.version === "1.0" ? dialectV1 : dialect03).notification(task, update),
  });
  const kept: KeptTask = {
    agent: "desk",
    cancel: new AbortController(),
    isAnswered: false,
    watchers: new Set(),
    pushes: new Map(),
    task: {
      kind: "task",
      id: "t1",
      contextId: "c",
      status: { state: "working", timestamp: "2026-01-01T00:00:00Z" },
    },
  };
  const change = (state: "working" | "completed") => {
    kept.task.status = { state, timestamp: "2026-01-01T00:00:01Z" };
    for (const { take } of kept.watchers)
      take({
        kind: "status-update",
        taskId: "t1",
        contextId: "c",
        status: kept.task.status,
        final: state === "completed",
      });
  };
  return { clock, sent, logged, pushes, kept, change };
}

const push: PushConfig = {
  id: "p",
  version: "1.0",
  url: "https://receiver.example/hook",
  token: "a-token",
  authorization: { scheme: "Bearer", credentials: "abc" },
};

test("a notification has the update in the receiver's version, its token, its credentials and a signature", async () => {
  const { sent, pushes, kept, change } = stage(() => 200);
  pushes.add(kept, push);
  pushes.add(kept, { ...push, id: "old", version: "0.3", authorization: undefined });
  change("completed");
  await settle();
  const [first, second] = sent;
  expect(JSON.parse(String(first?.body))).toEqual({
    statusUpdate: {
      taskId: "t1",
      contextId: "c",
      status: { state: "TASK_STATE_COMPLETED", timestamp: expect.any(String) },
    },
  });
  expect(JSON.parse(String(second?.body))).toMatchObject({
    kind: "task",
    id: "t1",
    status: { state: "completed" },
  });
  const headers = first?.headers ?? {};
  expect(headers).toMatchObject({
    authorization: "Bearer abc",
    "x-a2a-notification-token": "a-token",
    "webhook-timestamp": "1767225600",
  });
  const text = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${first?.body}`;
  expect(headers["webhook-signature"]).toBe(
    `v1,${createHmac("sha256", "a-token").update(text).digest("base64")}`,
  );
  expect(first).toMatchObject({ method: "POST", redirectsMax: 0 });
});

test("updates arrive in order, and one that fails twice is sent again under the same id", async () => {
  const { clock, sent, pushes, kept, change } = stage((number) => (number <= 2 ? 503 : 200));
  pushes.add(kept, push);
  change("working");
  change("completed");
  await settle();
  await clock.advance(1_500);
  await clock.advance(6_000);
  const bodies = sent.map(({ body }) => JSON.parse(String(body)).statusUpdate.status.state);
  expect(bodies).toEqual([...Array(3).fill("TASK_STATE_WORKING"), "TASK_STATE_COMPLETED"]);
  expect(new Set(sent.slice(0, 3).map(({ headers }) => headers?.["webhook-id"])).size).toBe(1);
});

test("an address that the guarded network refuses is tried once, and logged", async () => {
  const { sent, logged, pushes, kept, change } = stage(
    () => new AppError("forbidden", "network_refused", "No."),
  );
  pushes.add(kept, push);
  change("completed");
  await settle();
  expect(sent).toHaveLength(1);
  expect(logged.map(({ event }) => event)).toEqual(["a2a.push_failed"]);
});

test("a configuration that is deleted gets nothing more", async () => {
  const { sent, pushes, kept, change } = stage(() => 200);
  pushes.add(kept, push);
  expect(pushes.remove(kept, "p")).toBe(true);
  expect(pushes.remove(kept, "p")).toBe(false);
  change("completed");
  await settle();
  expect(sent).toEqual([]);
});

test.each(["a\nb", "ü"])("the token %j is refused", (token) => {
  const { pushes, kept } = stage(() => 200);
  expect(() => pushes.add(kept, { ...push, token })).toThrow("visible ASCII");
});
