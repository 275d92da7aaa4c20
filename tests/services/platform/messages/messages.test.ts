import { expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import { credentialDigest } from "../../../../src/kit/credential-digest.ts";
import { newId } from "../../../../src/kit/id.ts";
import type { TenantMessage } from "../../../../src/services/platform/messages/routes.ts";
import { asOperator, startPlatform, type TestPlatform, type TestTenant } from "../../../support/platform.ts";
import { onEachEngine, type TestEngine } from "../../../support/storage-engines.ts";

const path = "/api/v1/messages/send";
const runPath = "/api/v1/runs/messages/send";
const message = { channel: "phone_messenger", recipient: "+5215550002222", text: "Hello" };

async function stage(engine: TestEngine, refusal?: AppError) {
  const sent: TenantMessage[] = [];
  const send = async (outgoing: TenantMessage) => {
    if (refusal !== undefined) throw refusal;
    sent.push(outgoing);
    return { message_id: "m1", status: "pending" };
  };
  const platform = await startPlatform(engine, (deps) => ({ ...deps, messages: { send } }));
  return { platform, sent, owner: await platform.tenant() };
}

/** Inserts a run token directly. */
async function runToken(
  { deps: { storage, clock } }: TestPlatform,
  { id: tenantId }: TestTenant,
  reach: Record<string, unknown>,
): Promise<{ headers: Record<string, string> }> {
  const token = `run-${newId()}`;
  const expiresAt = new Date(clock.now().getTime() + 60_000);
  const row = { hash: credentialDigest(token), tenantId, invocationId: newId(), reach, expiresAt };
  await storage.transact((tx) => tx.insert(storage.tables.runTokens).values(row));
  return { headers: { authorization: `Bearer ${token}` } };
}

onEachEngine("messages", (engine) => {
  test("of a tenant's programs and people go to the gateway, as that tenant's", async () => {
    const { platform, sent, owner } = await stage(engine);
    await using _ = platform;
    for (const headers of [owner.asProgram, owner.asPerson]) {
      const answer = await platform.call("POST", path, {
        headers,
        body: { ...message, conversation_ref: "c1" },
      });
      expect(answer).toMatchObject({ status: 202, body: { message_id: "m1", status: "pending" } });
    }
    const outgoing = { ...message, tenantId: owner.id, conversationRef: "c1" };
    expect(sent).toEqual([outgoing, outgoing]);
  });

  test.each<[string, object, string]>([
    ["no channel", { channel: undefined }, "channel"],
    ["no recipient", { recipient: undefined }, "recipient"],
    ["no text", { text: undefined }, "text"],
    ["an empty text", { text: "" }, "text"],
    ["a long text", { text: "x".repeat(65_537) }, "text"],
    ["a tenant", { tenant_id: "other" }, "tenant_id"],
  ])("with %s are refused", async (_title, change, at) => {
    const { platform, sent, owner } = await stage(engine);
    await using _ = platform;
    const run = await runToken(platform, owner, { recipients: [message.recipient] });
    const body = { ...message, ...change };
    for (const [where, headers] of [
      [path, owner.asProgram],
      [runPath, run.headers],
    ] as const) {
      const answer = await platform.call("POST", where, { headers, body });
      const isForbidden = where === runPath && at === "recipient" && answer.status === 403;
      expect(isForbidden || answer.body.problems?.[0]?.path === at).toBe(true);
    }
    expect(sent).toEqual([]);
  });

  test("without a gateway are 404", async () => {
    await using platform = await startPlatform(engine);
    const owner = await platform.tenant();
    for (const [where, headers] of [
      [path, owner.asProgram],
      [runPath, {}],
    ] as const) {
      const answer = await platform.call("POST", where, { headers, body: message });
      expect(answer).toMatchObject({ status: 404, body: { error: "not_found" } });
    }
  });

  test.each([
    ["not_found", "account_not_found"],
    ["unavailable", "gateway_unreachable"],
  ] as const)("that the gateway refuses are refused alike: %s, %s", async (kind, code) => {
    const refusal = new AppError(kind, code, "The gateway said so.");
    const { platform, owner } = await stage(engine, refusal);
    await using _ = platform;
    const answer = await platform.call("POST", path, { headers: owner.asProgram, body: message });
    expect(answer).toMatchObject({ status: refusal.status, body: { error: refusal.code } });
  });

  const answering = { channel: message.channel, sender: message.recipient, conversation_ref: "c1" };

  test.each<[string, Record<string, unknown>, object, number]>([
    ["to whom the run answers", answering, {}, 202],
    ["to the conversation it answers", answering, { conversation_ref: "c1" }, 202],
    ["to another conversation", answering, { conversation_ref: "c2" }, 403],
    ["to somebody else", answering, { recipient: "+1" }, 403],
    ["to the same address on another channel", answering, { channel: "photo_social" }, 403],
    ["to anybody, when the run answers nobody", {}, {}, 403],
    ["to a recipient that is listed", { recipients: ["+1", message.recipient] }, {}, 202],
    ["to one that is not listed", { recipients: ["+1"] }, {}, 403],
    [
      "to a phone number in another spelling",
      { ...answering, sender: "521 555" },
      { recipient: "+52-1555" },
      202,
    ],
    ["to a listed one in another spelling", { recipients: ["+52 (1) 555"] }, { recipient: "521555" }, 202],
    [
      "to a number in another spelling elsewhere",
      { recipients: ["+5"] },
      { channel: "echo", recipient: "5" },
      403,
    ],
    ["to a recipient when the list holds none", { recipients: [null, 5, {}] }, { recipient: "5" }, 403],
    [
      "to a listed one, in a conversation of somebody else",
      { recipients: [message.recipient] },
      { conversation_ref: "c1" },
      403,
    ],
    ["to one of a list that is none", { recipients: message.recipient }, {}, 403],
  ])("of a run go %s", async (_title, reach, change, status) => {
    const { platform, sent, owner } = await stage(engine);
    await using _ = platform;
    const { headers } = await runToken(platform, owner, reach);
    const answer = await platform.call("POST", runPath, { headers, body: { ...message, ...change } });
    expect(answer.status).toBe(status);
    if (status === 403) expect(answer.body.error).toBe("recipient_not_allowed");
    expect(sent.map(({ tenantId }) => tenantId)).toEqual(status === 202 ? [owner.id] : []);
  });

  test("a run token reaches this one route; other routes, and this one after its time, are 401", async () => {
    const { platform, owner } = await stage(engine);
    await using _ = platform;
    const { headers } = await runToken(platform, owner, { recipients: [message.recipient] });
    for (const [method, where, body] of [
      ["POST", path, message],
      ["GET", "/api/v1/agents", undefined],
      ["GET", "/api/v1/connections", undefined],
      ["GET", "/api/v1/me", undefined],
      ["GET", "/api/v1/admin/tariffs", undefined],
    ] as const) {
      const asked = { headers: { ...headers, "x-tenant-id": owner.id }, ...(body && { body }) };
      expect((await platform.call(method, where, asked)).status).toBe(401);
    }
    expect((await platform.call("POST", runPath, { headers, body: message })).status).toBe(202);
    await platform.clock.advance(60_000);
    expect((await platform.call("POST", runPath, { headers, body: message })).status).toBe(401);
  });

  test("of a run are 401 without its token", async () => {
    const { platform, owner } = await stage(engine);
    await using _ = platform;
    for (const headers of [{}, owner.asProgram, owner.asPerson, asOperator, { authorization: "Bearer x" }]) {
      expect((await platform.call("POST", runPath, { headers, body: message })).status).toBe(401);
    }
  });
});
