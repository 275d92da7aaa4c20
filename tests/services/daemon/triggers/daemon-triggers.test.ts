import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { daemonClient } from "../../../../src/contracts/daemon/client.ts";
import type { Fire } from "../../../../src/contracts/daemon/triggers.ts";
import { agentFile, startDaemon, type TestDaemon } from "../../../support/daemon.ts";
import { untilTrue } from "../../../support/until-true.ts";

const secret = `whsec_${Buffer.from("a secret of the test").toString("base64")}`;
const plainSecret = "a-secret-of-the-test";

const triggers = [
  {
    name: "morning",
    type: "schedule",
    cron: "0 9 * * *",
    timezone: "Europe/Madrid",
    query: "It is {{ payload.local_time }}.",
  },
  {
    name: "order",
    type: "webhook",
    secret,
    query: "Order {{ payload.id }}",
    session_id: "order-{{ payload.id }}",
  },
  { name: "push", type: "webhook", secret: plainSecret, signature: "sha256", query: "Got {{ payload }}" },
  {
    name: "handbook",
    type: "document",
    collection: "handbook",
    query: "{{ payload.change }} {{ payload.documents | join(',') }}",
  },
];

const start = (more: object = {}) =>
  startDaemon({
    startAt: "2026-01-01T07:59:00.000Z",
    agents: { "helper.agent.yaml": agentFile("helper", { triggers }) },
    ...more,
  });

function signed(body: string, { id = "msg_1", at = Date.parse("2026-01-01T07:59:00Z"), key = secret } = {}) {
  const timestamp = String(Math.floor(at / 1000));
  const bytes = Buffer.from(key.slice("whsec_".length), "base64");
  const mac = createHmac("sha256", bytes).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    body,
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${mac}`,
    },
  };
}

const hook = "/v1/hooks/helper/order";

/** Waits until the last fire of a trigger has ended. */
async function lastFire(daemon: TestDaemon, name: string) {
  let last: Fire | undefined;
  await untilTrue(async () => {
    const { body } = await daemon.call("GET", `/v1/triggers/helper/${name}/fires?limit=1`);
    last = body.fires[0];
    return last !== undefined && last.status !== "queued" && last.status !== "running";
  });
  if (last === undefined) throw new Error("It has not fired.");
  return last;
}

const asked = (daemon: TestDaemon) => JSON.stringify(daemon.models.lab.requests.at(-1)?.body ?? {});

test("a signed webhook runs the agent once with its payload, and the trace names the trigger", async () => {
  await using daemon = await start();
  const first = await daemon.call("POST", hook, signed('{"id":4711}'));
  expect(first).toMatchObject({ status: 202, body: { id: expect.any(String) } });
  const fire = await lastFire(daemon, "order");
  expect(fire).toMatchObject({
    id: first.body.id,
    status: "completed",
    by: "event",
    session_id: "order-4711",
  });
  expect(asked(daemon)).toContain("Order 4711");
  const again = await daemon.call("POST", hook, signed('{"id":4711}'));
  expect(again.body).toEqual({ id: first.body.id, status: "completed" });
  const { body } = await daemon.call("GET", `/v1/traces/${fire.trace_id}`);
  expect(body.spans[0].attributes.source).toBe("trigger");
  for (const source of ["trigger", "traffic"])
    expect((await daemon.call("GET", `/v1/traces?source=${source}`)).body.traces).toHaveLength(1);
  expect(body.spans[0].attributes.trigger).toEqual({ name: "order", type: "webhook", fire: fire.id });
  expect(daemon.models.lab.requests).toHaveLength(1);
});

const valid = signed('{"id":1}');
const other = { ...valid.headers, "webhook-signature": signed("{}").headers["webhook-signature"] };

test.each([
  ["without a signature", hook, { body: "{}" }],
  ["with the signature of another body", hook, { body: '{"id":1}', headers: other }],
  [
    "with another id than the signed one",
    hook,
    { ...valid, headers: { ...valid.headers, "webhook-id": "msg_2" } },
  ],
  ["with an empty id", hook, { ...valid, headers: { ...valid.headers, "webhook-id": "" } }],
  [
    "with a version that is not v1",
    hook,
    {
      ...valid,
      headers: {
        ...valid.headers,
        "webhook-signature": valid.headers["webhook-signature"].replace("v1", "v2"),
      },
    },
  ],
  ["with a time six minutes ago", hook, signed("{}", { at: Date.parse("2026-01-01T07:53:00Z") })],
  ["with a time six minutes ahead", hook, signed("{}", { at: Date.parse("2026-01-01T08:05:00Z") })],
  ["with another secret", hook, signed("{}", { key: "whsec_AAAA" })],
  [
    "with a time that is not a number",
    hook,
    { ...valid, headers: { ...valid.headers, "webhook-timestamp": "NaN" } },
  ],
  ["for an agent that doesn't exist", "/v1/hooks/nobody/order", valid],
  ["for a trigger that doesn't exist", "/v1/hooks/helper/nothing", valid],
  ["for a trigger of another type", "/v1/hooks/helper/morning", valid],
  ["for an inherited name", "/v1/hooks/constructor/__proto__", valid],
  ["of the other scheme", "/v1/hooks/helper/push", valid],
])("a webhook %s is 403, and fires nothing", async (_, path, options) => {
  await using daemon = await start();
  expect(await daemon.call("POST", path, options)).toMatchObject({
    status: 403,
    body: { error: "signature_invalid" },
  });
  expect((await daemon.call("GET", "/v1/triggers/helper/order/fires")).body.fires).toEqual([]);
});

test.each([
  ["JSON that is cut", '{"id":', 400],
  ["a key twice", '{"id":1,"id":2}', 400],
  ["100 levels", `${"[".repeat(100)}${"]".repeat(100)}`, 400],
  ["more than 256 KiB", JSON.stringify({ id: "x".repeat(300_000) }), 413],
])("a signed body with %s is %d-something", async (_, body, status) => {
  await using daemon = await start();
  expect((await daemon.call("POST", hook, signed(body))).status).toBe(status);
});

test("a payload without the field that a template reads fails the fire by its name", async () => {
  await using daemon = await start();
  await daemon.call("POST", hook, signed("{}"));
  const fire = await lastFire(daemon, "order");
  expect(fire).toMatchObject({ status: "failed", error: { code: "template_failed" } });
  expect(daemon.models.lab.requests).toHaveLength(0);
});

test("X-Hub-Signature-256 signs a text, and the same body fires once", async () => {
  await using daemon = await start();
  const mac = createHmac("sha256", plainSecret).update("a push").digest("hex");
  const sent = { body: "a push", headers: { "x-hub-signature-256": `sha256=${mac}` } };
  const [first, again] = [
    await daemon.call("POST", "/v1/hooks/helper/push", sent),
    await daemon.call("POST", "/v1/hooks/helper/push", sent),
  ];
  expect([first.status, again.body.id]).toEqual([202, first.body.id]);
  await lastFire(daemon, "push");
  expect(asked(daemon)).toContain("Got a push");
});

test("a paused trigger refuses its webhook with 409, and can be fired by hand", async () => {
  await using daemon = await start();
  const client = daemonClient({ fetch, baseUrl: daemon.url });
  expect(await client.pauseTrigger("helper", "order")).toMatchObject({ paused: true });
  expect((await daemon.call("POST", hook, valid)).body).toMatchObject({ error: "trigger_paused" });
  const fired = await client.fireTrigger("helper", "order", { payload: { id: 5 }, key: "once" });
  expect((await client.fireTrigger("helper", "order", { key: "once" })).id).toBe(fired.id);
  expect(await lastFire(daemon, "order")).toMatchObject({ status: "completed", by: "person" });
  expect(await client.resumeTrigger("helper", "order")).toMatchObject({ paused: false });
  expect((await daemon.call("POST", hook, valid)).status).toBe(202);
});

test("the list shows what fires each trigger, when, and how that ended", async () => {
  await using daemon = await start();
  const { body } = await daemon.call("GET", "/v1/triggers");
  expect(body.triggers).toMatchObject([
    {
      name: "morning",
      type: "schedule",
      about: "0 9 * * *",
      timezone: "Europe/Madrid",
      next_at: "2026-01-01T08:00:00.000Z",
    },
    { name: "order", type: "webhook", path: hook },
    { name: "push", type: "webhook" },
    { name: "handbook", type: "document", about: "handbook: created, replaced, deleted" },
  ]);
  expect(JSON.stringify(body)).not.toContain(secret);
  await daemon.clock.advance(61_000);
  const fire = await lastFire(daemon, "morning");
  expect(fire).toMatchObject({ status: "completed", due_at: "2026-01-01T08:00:00.000Z" });
  expect(asked(daemon)).toContain("It is 2026-01-01T09:00.");
  expect((await daemon.call("GET", "/v1/triggers/helper/morning")).body).toMatchObject({
    last_fire: { id: fire.id },
    next_at: "2026-01-02T08:00:00.000Z",
  });
});

test("a document that is ingested, replaced or deleted fires the agent", async () => {
  await using daemon = await start();
  await daemon.clock.advance(0);
  await daemon.call("GET", "/v1/triggers");
  const put = (content: string) =>
    daemon.call("PUT", "/v1/rag/collections/handbook/documents/returns", { body: { content } });
  for (const [act, change] of [
    [() => put("Thirty days."), "created"],
    [() => put("Sixty days."), "replaced"],
    [() => daemon.call("DELETE", "/v1/rag/collections/handbook/documents/returns"), "deleted"],
  ] as const) {
    expect((await act()).status).toBeLessThan(300);
    await daemon.clock.advance(5_000);
    expect((await lastFire(daemon, "handbook")).status).toBe("completed");
    expect(asked(daemon)).toContain(`${change} returns`);
  }
});

test.each([
  ["GET", "/v1/triggers/helper/nothing", 404],
  ["GET", "/v1/triggers/nobody/order", 404],
  ["GET", "/v1/triggers/helper/nothing/fires", 404],
  ["POST", "/v1/triggers/helper/nothing/pause", 404],
  ["GET", "/v1/triggers/helper/order/fires?limit=0", 400],
  ["GET", "/v1/triggers/helper/order/fires?cursor=x", 400],
])("%s %s is %d", async (method, path, status) => {
  await using daemon = await start();
  expect((await daemon.call(method, path)).status).toBe(status);
});

test("a trigger in an agent that someone else than the owner sends is refused", async () => {
  await using daemon = await start();
  const [first] = triggers;
  const sent = await daemon.call("POST", "/v1/agents/validate", {
    body: agentFile("sent", { triggers: [first] }),
    headers: { "content-type": "application/yaml" },
  });
  expect(sent.body).toMatchObject({ valid: false });
  expect(JSON.stringify(sent.body)).toContain("spec.triggers[0]");
});

test.each([
  [{ type: "schedule", cron: "61 * * * *" }, "spec.triggers[0].cron"],
  [{ type: "schedule", cron: "* * * * *", timezone: "Mars/Base" }, "spec.triggers[0].timezone"],
  [{ type: "webhook", secret: "short" }, "spec.triggers[0].secret"],
  [{ type: "document", collection: "c", changes: [] }, "spec.triggers[0].changes"],
  [{ type: "message", channel: "telegraph" }, "spec.triggers[0].channel"],
  [{ type: "schedule", cron: "* * * * *", query: "{{ broken" }, "spec.triggers[0].query"],
  [{ type: "moon" }, "spec.triggers[0].type"],
])("the trigger %j is refused at %s", async (declared, path) => {
  await using daemon = await start({
    agents: {
      "helper.agent.yaml": agentFile("helper", { triggers: [{ name: "it", query: "q", ...declared }] }),
    },
  });
  const { body } = await daemon.call("GET", "/v1/agents/helper");
  expect(JSON.stringify(body)).toContain(path);
});
