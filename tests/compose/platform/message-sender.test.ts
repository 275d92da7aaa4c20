import { expect, test } from "bun:test";
import { createMessageSender } from "../../../src/compose/platform/message-sender.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { refusal } from "../../support/refusal.ts";

const message = { tenantId: "t1", channel: "echo", recipient: "ada", text: "Hello", conversationRef: "c1" };

/** A sender over a gateway with the given answers, and the requests that the gateway got. */
function sender(
  answer: (request: Request) => Response | Promise<Response>,
  baseUrl = "http://gateway:8081/",
) {
  const asked: Request[] = [];
  const clock = new FakeClock();
  const made = createMessageSender(
    {
      baseUrl,
      headers: { "x-gateway-sender-key": "the sender key" },
      fetch: async (request) => {
        asked.push(request.clone() as Request);
        return answer(request);
      },
    },
    clock,
  );
  return { asked, clock, send: (signal = new AbortController().signal) => made.send(message, signal) };
}

test("a message is queued on behalf of its tenant", async () => {
  const { asked, send } = sender(() =>
    Response.json({ message_id: "m1", status: "pending" }, { status: 202 }),
  );
  expect(await send()).toEqual({ message_id: "m1", status: "pending" });
  const [request] = asked;
  expect(request?.method).toBe("POST");
  expect(request?.url).toBe("http://gateway:8081/api/v1/messages/send-on-behalf");
  expect(request?.headers.get("x-gateway-sender-key")).toBe("the sender key");
  expect(await request?.json()).toEqual({
    tenant_id: "t1",
    channel: "echo",
    recipient: "ada",
    text: "Hello",
    conversation_ref: "c1",
  });
});

test.each(["http://host/gw", "http://host/gw/"])(
  "a gateway behind a path is called there: %s",
  async (baseUrl) => {
    const { asked, send } = sender(
      () => Response.json({ message_id: "m1", status: "pending" }, { status: 202 }),
      baseUrl,
    );
    await send();
    expect(asked[0]?.url).toBe("http://host/gw/api/v1/messages/send-on-behalf");
  },
);

test.each([
  [400, { error: "recipient is not valid" }, { kind: "invalid", message: "recipient is not valid" }],
  [404, { error: "no account" }, { kind: "not_found", message: "no account" }],
  [404, "no JSON", { kind: "not_found", message: "The gateway refused the message." }],
  [429, { error: "slower" }, { kind: "rate_limited" }],
  [401, { error: "wrong key" }, { kind: "unavailable", code: "gateway_unreachable" }],
  [500, { error: "disk full" }, { kind: "unavailable", code: "gateway_unreachable" }],
  [302, {}, { kind: "unavailable", code: "gateway_unreachable" }],
  [202, { message_id: 7 }, { kind: "unavailable", code: "gateway_unreachable" }],
])(
  "an answer %i %j of the gateway gives its own message and no other text",
  async (status, body, expected) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const { send } = sender(() => new Response(text, { status }));
    const error = await refusal(send());
    expect(error).toMatchObject(expected);
    expect(error.message).not.toContain("wrong key");
    expect(error.message).not.toContain("disk full");
  },
);

test("a gateway that isn't there, or never answers, is unreachable", async () => {
  const gone = sender(() => Promise.reject(new TypeError("refused")));
  expect((await refusal(gone.send())).code).toBe("gateway_unreachable");
  const mute = sender(
    (request) =>
      new Promise((_, reject) =>
        request.signal.addEventListener("abort", () => reject(request.signal.reason), { once: true }),
      ),
  );
  const sending = refusal(mute.send());
  await mute.clock.advance(10_000);
  expect((await sending).code).toBe("gateway_unreachable");
});
