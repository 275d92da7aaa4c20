import { expect, test } from "bun:test";
import type { FetchedFile } from "../../../../src/channels/media/media-source.ts";
import type { ForwardedMedia } from "../../../../src/contracts/gateway/messages.ts";
import { AppError } from "../../../../src/kit/app-error.ts";
import { createForwardingSender } from "../../../../src/services/gateway/callbacks/forwarding-sender.ts";
import { asAdmin, scriptedSender, startGateway } from "../../../support/gateway.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";

const mebibyte = 1024 * 1024;

/** Forwards a message with these files to a callback; returns what it got, and the result. */
async function forward(
  media: readonly ForwardedMedia[],
  files: Readonly<Record<string, FetchedFile>>,
  answer: () => { status: number; retryAfterMs: number | undefined } = () => ({
    status: 200,
    retryAfterMs: undefined,
  }),
) {
  await using gateway = await startGateway(sqliteEngine);
  const id = await gateway.account("a", "phone_messenger", "PN1");
  const config = { callback_url: "https://shop.example/in" };
  const { status } = await gateway.call("POST", "/admin/bindings", {
    headers: asAdmin,
    body: { tenant_id: "a", account_id: id, config },
  });
  expect(status).toBe(201);
  const { storage, sealer, clock, log } = gateway.deps;
  const posted: { headers: Readonly<Record<string, string>>; body: string }[] = [];
  const sender = createForwardingSender(scriptedSender(), {
    ...{ storage, sealer, clock, log },
    media: {
      fetch: async (_, { id = "" }, bytesMax) => {
        const file = files[id];
        return file !== undefined && file.bytes.length <= bytesMax ? file : undefined;
      },
    },
    async post(_, headers, body) {
      posted.push({ headers, body });
      return answer();
    },
  });
  const account = {
    id,
    tenantId: "a",
    channel: "phone_messenger",
    externalId: "PN1",
    emulated: false,
  } as const;
  const told = {
    message_id: "m1",
    from: "1",
    text: "",
    channel: "phone_messenger",
    timestamp: "2026-03-10T12:00:00.000Z",
  } as const;
  const token = "01900000-0000-7000-8000-00000000000a";
  const message = { token, recipient: "1", forward: { ...told, media } };
  const { result } = await sender.send({ ...account, credentials: {} }, message, 0);
  return {
    result,
    told,
    media: posted.map(({ body }) => JSON.parse(body).media),
    headers: posted[0]?.headers ?? {},
  };
}

const file = (length: number, mimeType = "image/png"): FetchedFile => ({
  bytes: new Uint8Array(length).fill(7),
  mimeType,
});

test("files are sent as base64, and those that can't be had are named", async () => {
  const media = [
    { kind: "image", id: "1" },
    { kind: "audio", id: "gone" },
    { kind: "document", id: "2" },
  ];
  const got = await forward(media, { 1: file(3), 2: file(2, "application/pdf") });
  expect(got.result).toEqual({ action: "sent" });
  expect(got.media).toEqual([
    [
      { kind: "image", mime_type: "image/png", data_base64: "BwcH" },
      { kind: "audio", unavailable: true },
      { kind: "document", mime_type: "application/pdf", data_base64: "Bwc=" },
    ],
  ]);
});

test("files beyond 24 MiB together are named only", async () => {
  const media = ["1", "2", "3"].map((id) => ({ kind: "video", id }));
  const got = await forward(media, { 1: file(20 * mebibyte), 2: file(5 * mebibyte), 3: file(4 * mebibyte) });
  expect(got.media[0].map(({ unavailable }: { unavailable?: true }) => unavailable === true)).toEqual([
    false,
    true,
    false,
  ]);
});

test("a message without files has no media; without a secret it is not signed; it has its trace", async () => {
  const { media, headers } = await forward([], {});
  expect(media).toEqual([undefined]);
  expect(headers).toEqual({
    "content-type": "application/json",
    traceparent: "00-0190000000007000800000000000000a-800000000000000a-01",
  });
});

const answers: [status: number, retryAfterMs: number | undefined, result: object][] = [
  [204, undefined, { action: "sent" }],
  [299, undefined, { action: "sent" }],
  [302, undefined, { action: "retry", code: "callback_302" }],
  [400, undefined, { action: "retry", code: "callback_400" }],
  [410, undefined, { action: "final", code: "callback_410" }],
  [429, 7_000, { action: "retry", code: "callback_429", waitMs: 7_000 }],
  [503, undefined, { action: "retry", code: "callback_503" }],
];
test.each(answers)("an answer %d is judged", async (status, retryAfterMs, result) => {
  expect((await forward([], {}, () => ({ status, retryAfterMs }))).result).toMatchObject(result);
});

test("a callback that the network refuses or can't reach is tried again", async () => {
  for (const code of ["network_refused", "network_failed", "network_timed_out"]) {
    const answer = () => {
      throw new AppError("upstream_failed", code, "no");
    };
    expect((await forward([], {}, answer)).result).toEqual({ action: "retry", code, isAccountWide: false });
  }
});
