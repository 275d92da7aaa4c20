import { expect, test } from "bun:test";
import type { MessageEvent } from "../../../src/channels/inbound/inbound-event.ts";
import { createMessageMarks } from "../../../src/compose/gateway/message-marks.ts";
import { KnownOwners } from "../../../src/kit/concurrency/known-owners.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { accountSeal } from "../../../src/services/gateway/accounts/credentials.ts";
import type { AccountRow } from "../../../src/services/gateway/accounts/store.ts";
import { generateKey } from "../../../src/storage/sealing/key-ring.ts";
import { rememberingSealer } from "../../../src/storage/sealing/remembering-sealer.ts";
import { createSealer } from "../../../src/storage/sealing/seal.ts";

const ana = { kind: "user" as const, address: "ana" };

/** Marks with a sealer like the gateway's, the calls to the provider as texts, and rows of one account. */
function openMarks({ fault }: { fault?: Error } = {}) {
  const sealer = rememberingSealer(createSealer([generateKey()]));
  const calls: string[] = [];
  const call = (mark: string) => async (account: { credentials: object }, to: string, id?: string) => {
    calls.push([mark, JSON.stringify(account.credentials), to, id].filter(Boolean).join(" "));
    if (fault !== undefined) throw fault;
  };
  const marks = createMessageMarks({
    marks: { markRead: call("read"), showTyping: call("typing"), answerButton: call("button") },
    sealer,
    tenantOwners: new KnownOwners(),
    log: silentLogger,
  });
  const accountOf = (channel: AccountRow["channel"], token: string, change: Partial<AccountRow> = {}) => ({
    id: "a1",
    tenantId: "t",
    channel,
    externalId: "e1",
    credentials: sealer.seal(JSON.stringify({ token }), accountSeal("t", "a1")),
    masked: {},
    emulated: false,
    pausedReason: null,
    quietUntil: null,
    createdAt: new Date(0),
    ...change,
  });
  const begin = async (account: AccountRow, change: Partial<MessageEvent> = {}) => {
    const event = { messageId: "m1", conversation: { key: "ana", address: ana }, ...change } as MessageEvent;
    marks.begun({ account, event });
    await Promise.resolve();
  };
  return { begin, accountOf, calls };
}

test("WhatsApp marks a message as read, other channels show typing", async () => {
  const { begin, accountOf, calls } = openMarks();
  await begin(accountOf("phone_messenger", "x"));
  await begin(accountOf("bot_messenger", "x"));
  expect(calls).toEqual(['read {"token":"x"} ana m1', 'typing {"token":"x"} ana']);
});

test("a pressed button is answered first", async () => {
  const { begin, accountOf, calls } = openMarks();
  await begin(accountOf("bot_messenger", "x"), { callbackId: "c1" });
  await Promise.resolve();
  expect(calls).toEqual(['button {"token":"x"} c1', 'typing {"token":"x"} ana']);
});

test("a paused account sets none", async () => {
  const { begin, accountOf, calls } = openMarks();
  await begin(accountOf("phone_messenger", "x", { pausedReason: "token_invalid" }));
  expect(calls).toEqual([]);
});

test("changed credentials are used at once, although opened ones are kept", async () => {
  const { begin, accountOf, calls } = openMarks();
  const before = accountOf("phone_messenger", "old");
  for (const account of [before, before, accountOf("phone_messenger", "new")]) await begin(account);
  expect(calls.map((call) => call.split(" ")[1])).toEqual([
    '{"token":"old"}',
    '{"token":"old"}',
    '{"token":"new"}',
  ]);
});

test("marks that fail harm nothing, and leave room for further ones", async () => {
  const { begin, accountOf, calls } = openMarks({ fault: new Error("gone") });
  const account = accountOf("phone_messenger", "x");
  for (let message = 0; message < 100; message++) {
    await begin(account);
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }
  expect(calls).toHaveLength(100);
});
