import { describe, expect, test } from "bun:test";
import type { SendOutcome } from "../../../src/channels/sending/message-api.ts";
import { outcomeOf, outcomeOfCode } from "../../../src/channels/whatsapp/send-outcome.ts";
import { createWhatsAppApi } from "../../../src/channels/whatsapp/whatsapp-api.ts";
import { systemClock } from "../../../src/kit/clock.ts";
import corpus from "../../corpora/channel_send_errors.json" with { type: "json" };
import { FakeClock } from "../../support/fake-clock.ts";
import {
  type MessageProvider,
  type ProviderStep,
  providerError,
  startMessageProvider,
} from "../../support/message-provider.ts";

const account = { accessToken: "t", phoneNumberId: "PNID1" };

const message = { recipient: { kind: "phone", address: "52" } as const, text: "hi", token: "t.0" };

/** Returns the outcome of one attempt, over a real connection. */
async function tryToSend(step: ProviderStep): Promise<SendOutcome> {
  await using provider = await startMessageProvider([step]);
  return await senderTo(provider)(message);
}

const senderTo = ({ url }: Pick<MessageProvider, "url">, clock = systemClock) =>
  createWhatsAppApi({ ...account, apiBaseUrl: url }, fetch, clock).sendText;

interface Entry {
  id: string;
  input: { channel: string; http: number | null; code: number | string | null };
  why: string;
  expected: string;
}
const entries = corpus.entries as unknown as Entry[];

/** The corpus's actions in this implementation. There is no durable outbox, so a message that would wait for hours is dropped. */
const actions: Record<string, Partial<SendOutcome>> = {
  sent: { action: "sent" },
  retry: { action: "retry" },
  "retry-max-3": { action: "retry", retriesMax: 3 },
  "retry-seconds": { action: "retry", isAccountWide: true },
  "retry-minutes": { action: "retry", isAccountWide: true },
  "retry-conversation-only": { action: "retry", isAccountWide: false },
  "retry-account-alert": { action: "retry", alerts: true },
  "retry-hours": { action: "late" },
  "retry-hours-then-account-alert": { action: "late" },
  final: { action: "final" },
  "final-account-paused": { action: "account" },
  ambiguous: { action: "ambiguous" },
};

const bodies: Record<string, Partial<ProviderStep>> = {
  "HTTP 200 with an error object": { body: '{"error":{"message":"no"}}' },
  "HTTP 200, messages[0].message_status held_for_quality_assessment": {
    body: '{"messages":[{"id":"wamid.1","message_status":"held_for_quality_assessment"}]}',
  },
  "HTML body": { headers: { "content-type": "text/html" }, body: "<html>ok</html>" },
  "redirect: do not follow with the token": {
    headers: { location: "http://127.0.0.1:9/elsewhere" },
    body: "",
  },
};

describe("each answer of the corpus has the action of the corpus", () => {
  const ofProvider = entries.filter(({ input }) => input.channel === "phone_messenger");
  const media = "retry-max-2-if-details-say-429-or-5xx-else-final";
  test.each(ofProvider.filter(({ expected }) => expected !== media))("$id $why: $expected", async (entry) => {
    const { http, code } = entry.input;
    const step =
      typeof code === "number"
        ? { status: 400, body: providerError(code) }
        : { status: http ?? 0, body: "", ...bodies[entry.why] };
    expect(await tryToSend(step)).toMatchObject(actions[entry.expected] ?? { action: "sent" });
    expect(Object.keys(actions)).toContain(entry.expected);
  });

  test.each([
    [undefined, { action: "final" }],
    ["Media download failed with HTTP 404", { action: "final" }],
    ["Media download failed: 4290 bytes", { action: "final" }],
    ["The server answered 503", { action: "retry", retriesMax: 2 }],
    ["HTTP error 429", { action: "retry", retriesMax: 2 }],
  ])("131053 goes by its details (%s)", async (details, expected) => {
    const fields = details === undefined ? {} : { error_data: { messaging_product: "whatsapp", details } };
    const body = providerError(131053, fields);
    expect(await tryToSend({ status: 400, body })).toMatchObject(expected);
  });
});

describe("beyond the corpus", () => {
  const error = (code: number, fields: object = {}) => providerError(code, fields);
  const table: [what: string, step: ProviderStep, expected: Partial<SendOutcome>][] = [
    ["the code decides, not the status", { status: 500, body: error(131047) }, { action: "final" }],
    ["also with 200", { status: 200, body: error(190) }, { action: "account", code: "190" }],
    [
      "a code as a text",
      { status: 400, body: '{"error":{"code":"131056"}}' },
      { action: "retry", code: "131056" },
    ],
    ["every permission", { status: 403, body: error(299) }, { action: "account" }],
    ["and not the next code", { status: 400, body: error(300) }, { action: "final" }],
    ["every template error", { status: 400, body: error(132013) }, { action: "final" }],
    ["a new code with 5xx", { status: 503, body: error(999_001) }, { action: "retry", code: "999001" }],
    ["a new code with 4xx", { status: 400, body: error(999_001) }, { action: "final", code: "999001" }],
    [
      "a new code that will pass",
      { status: 400, body: error(999_001, { is_transient: true }) },
      { action: "retry" },
    ],
    [
      "a wait that is given",
      { status: 429, headers: { "retry-after": "7" } },
      { action: "retry", retryAfterMs: 7000 },
    ],
    ["a wait that is none", { status: 429, headers: { "retry-after": "soon" } }, { action: "retry" }],
    ["a gateway's timeout", { status: 504, body: "" }, { action: "ambiguous" }],
    ["403 without a code", { status: 403, body: "" }, { action: "account" }],
    ["200 with nothing", { status: 200, body: "" }, { action: "ambiguous" }],
    ["200 without an id", { status: 200, body: '{"messages":[]}' }, { action: "ambiguous" }],
    ["200 that breaks off", { breaks: "inside" }, { action: "ambiguous" }],
    ["503 that breaks off", { status: 503, breaks: "inside" }, { action: "retry" }],
    [
      "200 that never ends",
      { status: 200, body: `{"messages":[{"id":"${"x".repeat(300_000)}"}]}` },
      { action: "ambiguous" },
    ],
    ["a reset before any byte", { breaks: "before" }, { action: "ambiguous", code: "broken_off" }],
    ["no content", { status: 204, body: "" }, { action: "ambiguous" }],
  ];
  test.each(table)("%s", async (_, step, expected) => {
    expect(await tryToSend(step)).toMatchObject(expected);
  });

  test("no server listens, or the name is unknown: nothing was sent", async () => {
    for (const url of ["http://127.0.0.1:1/v24.0", "http://no-such-host.invalid/v24.0"]) {
      expect(await senderTo({ url })(message)).toMatchObject({ action: "retry", code: "no_connection" });
    }
  });

  test("no trusted TLS: nothing was sent, and the operator's log says so", async () => {
    using server = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: { data: (socket) => void socket.end("HTTP/1.1 400 Bad Request\r\n\r\n") },
    });
    const outcome = await senderTo({ url: `https://127.0.0.1:${server.port}/v24.0` })(message);
    expect(outcome).toMatchObject({ action: "retry", alerts: true, code: "no_trusted_connection" });
    const certificates = ["DEPTH_ZERO_SELF_SIGNED_CERT", "ERR_TLS_CERT_ALTNAME_INVALID", "CERT_HAS_EXPIRED"];
    for (const code of [...certificates, "UNABLE_TO_VERIFY_LEAF_SIGNATURE"]) {
      const fault = Object.assign(new TypeError("no"), { code });
      expect(outcomeOf({ fault })).toMatchObject({ action: "retry", alerts: true });
    }
  });

  test("a provider that is silent for 15 s may have taken it", async () => {
    const clock = new FakeClock();
    const never = Promise.withResolvers<void>();
    await using provider = await startMessageProvider([{ after: never.promise }]);
    const outcome = senderTo(provider, clock)(message);
    await provider.sentCount(1);
    await clock.advance(14_999);
    expect(clock.pending).toBe(1);
    await clock.advance(1);
    expect(await outcome).toEqual({ action: "ambiguous", code: "send_timed_out" });
  });

  test("a connection that breaks is not tried again behind our back", async () => {
    await using provider = await startMessageProvider([{}, { breaks: "before" }, {}]);
    const send = senderTo(provider);
    expect(await send(message)).toMatchObject({ action: "sent" });
    expect(await send(message)).toMatchObject({ action: "ambiguous" });
    expect(provider.sent).toHaveLength(2);
  });

  test("an unknown error code implies no status", () => {
    expect(outcomeOfCode(999_001)).toBeUndefined();
    expect(outcomeOfCode(131026)).toEqual({ action: "final", code: "131026" });
  });
});
