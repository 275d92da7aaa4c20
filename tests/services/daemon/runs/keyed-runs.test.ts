import { expect, test } from "bun:test";
import { startDaemon } from "../../../support/daemon.ts";

const body = { query: "hi" };
const ask = { headers: { "idempotency-key": "order-1" } };
const completion = { model: "agent/helper", messages: [{ role: "user", content: "hi" }] };

test("a repeated run returns the first answer with Idempotency-Replayed; the model is asked once", async () => {
  await using daemon = await startDaemon({ models: { lab: [{ text: "One." }, { text: "Two." }] } });
  const first = await daemon.run("helper", body, ask);
  expect([first.status, first.body.response, first.headers.get("idempotency-replayed")]).toEqual([
    200,
    "One.",
    null,
  ]);
  const again = await daemon.run("helper", body, ask);
  expect([again.body.response, again.headers.get("idempotency-replayed")]).toEqual(["One.", "true"]);
  expect(again.body.trace_id).toBe(first.body.trace_id);
  const { text } = await daemon.run("helper", body, {
    headers: { ...ask.headers, accept: "text/event-stream" },
  });
  expect(text).toContain('{"type":"token","content":"One."}');
  expect(text).toContain('"type":"done"');
  expect(daemon.models.lab.requests).toHaveLength(1);
});

test("a key of another request is 422, and what is no key is 400", async () => {
  await using daemon = await startDaemon();
  await daemon.run("helper", body, ask);
  const other = await daemon.run("helper", { query: "other" }, ask);
  expect([other.status, other.body.error]).toEqual([422, "idempotency_key_reused"]);
  const recorded = await daemon.run("helper", { ...body, record: true }, ask);
  expect([recorded.status, recorded.body.error]).toEqual([422, "idempotency_key_reused"]);
  for (const key of ["a b", "k".repeat(256)]) {
    const refused = await daemon.run("helper", body, { headers: { "idempotency-key": key } });
    expect([refused.status, refused.body.error]).toEqual([400, "invalid_request"]);
  }
});

test("a completion and a response of an agent have one answer for each key, with and without a stream", async () => {
  await using daemon = await startDaemon({
    models: { lab: [{ text: "One." }, { text: "Two." }, { text: "Three." }] },
  });
  const post = (path: string, body: object, key: string) =>
    daemon.call("POST", path, { body, headers: { "idempotency-key": key } });
  for (const stream of [false, true, false]) {
    const { text } = await post("/v1/chat/completions", { ...completion, stream }, "c");
    expect(text).toContain("One.");
  }
  for (const _ of [1, 2]) {
    const { body } = await post("/v1/responses", { model: "agent/helper", input: "hi" }, "r");
    expect(body.output[0].content[0].text).toBe("Two.");
  }
  const refused = await post("/v1/chat/completions", completion, "no key");
  expect(refused.status).toBe(400);
});
