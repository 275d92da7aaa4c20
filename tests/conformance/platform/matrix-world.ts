import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import { presentTrace } from "../../../src/engine/telemetry/present-trace.ts";
import { newId } from "../../../src/kit/id.ts";
import { type AccessTokens, createAccessTokens } from "../../../src/services/platform/auth/access-tokens.ts";
import { SlowLanes } from "../../../src/services/platform/auth/slow-lanes.ts";
import type { PlatformDeps } from "../../../src/services/platform/deps.ts";
import { defaultPlan } from "../../../src/services/platform/plans/default-plan.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { HastyClock } from "../../support/hasty-clock.ts";
import { asOperator, startPlatform, type TestPlatform, type TestTenant } from "../../support/platform.ts";
import { addAgent, addInvocation } from "../../support/platform-history.ts";
import { recordedTrace } from "../../support/recorded-trace.ts";
import type { TestEngine } from "../../support/storage-engines.ts";
import { addBills, type Bills, noBills } from "./matrix-bills.ts";
import { evalDocument } from "./route-row.ts";

/** The names and ids of one tenant's things, as used in a path or a body. */
export interface Things extends Bills {
  tenant: string;
  agent: string;
  agentId: string;
  deletedAgent: string;
  invocation: string;
  subscription: string;
  keyHash: string;
  connection: string;
  eval: string;
  evalRun: string;
  collection: string;
  document: string;
  period: string;
  approval: string;
  /** Id of a member beside the owner. */
  member: string;
  invitation: string;
  /** Token of an invitation of the owner to another tenant. */
  inviteToken: string;
  /** E-mail of a person without a credential in the matrix. */
  person: string;
  /** A session of the owner beside those of the matrix. */
  session: string;
  /** Token of a link for the owner's e-mail address. */
  emailToken: string;
}

type Headers = Record<string, string>;

/** A platform with room for any number of matrix worlds. */
export interface MatrixPlatform extends TestPlatform {
  /** Issues tokens of twenty minutes ago, which have expired. */
  earlierTokens: AccessTokens;
}

/** Tenant A with one thing of each kind, a stranger B, and all credentials. */
export interface MatrixWorld {
  platform: TestPlatform;
  owner: TestTenant;
  stranger: TestTenant;
  things: Things;
  /** Things of the same form that do not exist. */
  nowhere: Things;
  headers: Record<CredentialName, Headers>;
  /** Returns all rows except those of strangers, as text. */
  rows(): Promise<string[]>;
  /** Returns all rows of all tables, as text. */
  everyRow(): Promise<string[]>;
}

export const credentialNames = [
  "tenant B API key",
  "tenant B JWT with X-Tenant-ID B",
  "tenant B JWT with X-Tenant-ID A",
  "tenant B JWT without X-Tenant-ID",
  "tenant B API key with X-Tenant-ID A",
  "tenant B API key and JWT at once",
  "user of both tenants, wrong X-Tenant-ID",
  "deleted tenant A key",
  "deleted tenant's JWT",
  "revoked key of A",
  "run token of B",
  "ended run token of A",
  "gateway send key of B",
  "expired JWT of A",
  "JWT of a session of A that was ended",
  "operator token",
  "wrong operator token",
  "no credential",
  "tenant A API key",
  "tenant A JWT",
  "operator JWT with X-Tenant-ID A",
  "run token of A",
] as const;
export type CredentialName = (typeof credentialNames)[number];

/** A text that only its owner may ever read. */
export const canary = "canary-7f3a9c";

/** Starts a platform with one matrix world. */
export async function startMatrix(engine: TestEngine): Promise<MatrixWorld & AsyncDisposable> {
  await using held = new AsyncDisposableStack();
  const world = await addWorld(held.use(await startMatrixPlatform(engine)));
  const ending = held.move();
  return { ...world, [Symbol.asyncDispose]: () => ending.disposeAsync() };
}

/** Starts a platform with the plans that all worlds use. */
export async function startMatrixPlatform(engine: TestEngine): Promise<MatrixPlatform> {
  const sender = { send: async () => ({ message_id: "m1", status: "pending" }) };
  // Sign-in attempts are slowed down; this clock skips the delay.
  const signInLanes = new SlowLanes(new HastyClock());
  const ring = [{ kid: "k1", secret: randomBytes(32) }] as const;
  const platform = await startPlatform(engine, (deps) => ({
    ...deps,
    messages: sender,
    signInLanes,
    tokens: createAccessTokens(ring, deps.clock),
  }));
  await addPlans(platform);
  const earlier = new FakeClock(new Date(platform.clock.now().getTime() - 20 * 60_000).toISOString());
  return { ...platform, earlierTokens: createAccessTokens(ring, earlier) };
}

/** Adds the tenants and credentials of a world, which no earlier world of the platform has. */
export async function addWorld(platform: MatrixPlatform): Promise<MatrixWorld> {
  const { deps, clock } = platform;
  const owner = await platform.tenant();
  const expired = await signIn({ ...deps, tokens: platform.earlierTokens }, owner.userId);
  const stranger = await platform.tenant();
  const operator = await platform.tenant({ role: "operator" });
  const things = await fill(platform, owner);
  const second = await addOwnTenant(deps, owner.userId);
  const deleted = await platform.tenant();
  await addAgent(platform, deleted, "support");
  await setDeleted(deps, deleted.id);
  const fresh = await signIn(deps, owner.userId);
  const left = await signIn(deps, owner.userId, clock.now());
  const strangers = [stranger.id, stranger.userId];
  const ofStranger = stranger.asPerson.authorization ?? "";
  const ofB = { authorization: ofStranger };
  const headers: MatrixWorld["headers"] = {
    "tenant B API key": stranger.asProgram,
    "tenant B JWT with X-Tenant-ID B": stranger.asPerson,
    "tenant B JWT with X-Tenant-ID A": { ...ofB, "x-tenant-id": owner.id },
    "tenant B JWT without X-Tenant-ID": ofB,
    "tenant B API key with X-Tenant-ID A": { ...stranger.asProgram, "x-tenant-id": owner.id },
    "tenant B API key and JWT at once": { ...stranger.asProgram, ...stranger.asPerson },
    "user of both tenants, wrong X-Tenant-ID": { authorization: fresh, "x-tenant-id": second },
    "deleted tenant A key": deleted.asProgram,
    "deleted tenant's JWT": deleted.asPerson,
    "revoked key of A": { "x-api-key": await addRevokedKey(deps, owner) },
    "run token of B": { authorization: await addRunToken(platform, stranger.id, 3_600_000) },
    "ended run token of A": { authorization: await addRunToken(platform, owner.id, -1) },
    "gateway send key of B": { "x-gateway-sender-key": randomBytes(32).toString("base64url") },
    "expired JWT of A": { authorization: expired, "x-tenant-id": owner.id },
    "JWT of a session of A that was ended": { authorization: left, "x-tenant-id": owner.id },
    "operator token": asOperator,
    "wrong operator token": { "x-operator-token": `${asOperator["x-operator-token"]}x` },
    "no credential": {},
    "tenant A API key": owner.asProgram,
    "tenant A JWT": { authorization: fresh, "x-tenant-id": owner.id },
    "operator JWT with X-Tenant-ID A": {
      authorization: operator.asPerson.authorization ?? "",
      "x-tenant-id": owner.id,
    },
    "run token of A": { authorization: await addRunToken(platform, owner.id, 3_600_000) },
  };
  return {
    platform,
    owner,
    stranger,
    things,
    nowhere: nowhere(things),
    headers,
    async rows() {
      const others = [...strangers, second];
      return (await rowsOf(deps)).filter((text) => others.every((id) => !text.includes(id)));
    },
    everyRow: () => rowsOf(deps),
  };
}

/** Returns the rows of all tables as text, sorted. */
async function rowsOf({ storage: { read, tables } }: PlatformDeps): Promise<string[]> {
  const texts: string[] = [];
  for (const [name, table] of Object.entries(tables)) {
    const rows = await read.select().from(table);
    texts.push(...rows.map((row) => `${name} ${JSON.stringify(row)}`));
  }
  return texts.sort();
}

const runTrace = "01a20510-bdcf-7432-8297-5b0a7a2115dd";

async function addPlans({ deps: { storage }, clock }: TestPlatform): Promise<void> {
  const plan = { ...defaultPlan, argoCode: "legal", createdAt: clock.now() };
  const spec = { unidades: { "legal.case": { incluidas: 1, excedente_micros: 5 } }, features: {} };
  await storage.transact((tx) =>
    tx.insert(storage.tables.plans).values([
      { ...plan, id: "legal", name: "Legal", spec },
      { ...plan, id: "legal-2", name: "Legal 2", spec },
      { ...plan, id: "tax", name: "Tax", argoCode: "tax" },
      { ...plan, id: "unlimited", name: "Unlimited", argoCode: null, maxRpm: null, maxActiveAgents: null },
    ]),
  );
}

/** Creates one thing of each kind. */
async function fill(platform: TestPlatform, owner: TestTenant): Promise<Things> {
  const { deps, clock } = platform;
  const { storage } = deps;
  const { tables } = storage;
  const now = clock.now();
  const tenantId = owner.id;
  const agentId = await addAgent(platform, owner, "support");
  await addAgent(platform, owner, "gone", { deletedAt: now });
  const { id: invocation } = await addInvocation(platform, {
    tenantId,
    agentId,
    sessionId: canary,
    status: "error",
    errorCode: "provider_failed",
    message: canary,
    traceId: runTrace,
  });
  platform.runtime.traces.set(
    `${tenantId} ${runTrace}`,
    presentTrace(recordedTrace(runTrace, now.getTime(), { output: canary })),
  );
  const verdict = { tenantId, invocationId: invocation, at: now };
  await storage.transact((tx) =>
    tx.insert(tables.runFeedback).values([
      { ...verdict, source: "person", rating: "up", body: JSON.stringify({ note: canary }) },
      {
        ...verdict,
        source: "channel",
        rating: "down",
        body: JSON.stringify({ channel: "echo", emoji: canary.slice(0, 8) }),
      },
    ]),
  );
  const { id: waiting } = await addInvocation(platform, {
    tenantId,
    agentId,
    sessionId: canary,
    status: "awaiting_approval",
    endedAt: null,
    chargedMicros: 0,
  });
  const person = `${(await platform.tenant()).userId}@example.com`;
  const member = await addMember(deps, tenantId, (await platform.tenant()).userId);
  const invitation = newId();
  await addInvitation(deps, { id: invitation, tenantId, email: `${canary}@example.com`, token: newId() });
  const inviteToken = randomBytes(32).toString("base64url");
  const { id: inviting } = await platform.tenant();
  const email = `${owner.userId}@example.com`;
  const [session, emailToken] = [newId(), randomBytes(32).toString("base64url")];
  await addEmailChange(deps, owner.userId, emailToken);
  await addEmailChange(deps, member);
  const { userId } = owner;
  await storage.transact((tx) =>
    tx.insert(tables.sessions).values({ id: session, userId, createdAt: now, revokedAt: null }),
  );
  await addInvitation(deps, { id: newId(), tenantId: inviting, email, token: inviteToken });
  const [subscription, period, approval] = [newId(), newId(), newId()];
  await storage.transact(async (tx) => {
    const of = { tenantId, id: subscription, argoCode: "legal" };
    await tx
      .insert(tables.subscriptions)
      .values({ ...of, desde: "2026-03-01", lastDay: null, createdAt: now, cancelledAt: null });
    const inForce = { tenantId, subscriptionId: subscription, since: "2026-03", planId: "legal" };
    await tx.insert(tables.subscriptionPlans).values(inForce);
    await tx.insert(tables.billingPeriods).values({
      tenantId,
      id: period,
      scope: subscription,
      month: "2026-02",
      status: "closed",
      createdAt: now,
      closedAt: now,
      facturadoAt: null,
    });
    await tx.insert(tables.approvals).values({
      tenantId,
      id: approval,
      invocationId: waiting,
      agentName: "support",
      sessionId: canary,
      asked: JSON.stringify({ agent: "support", tool: canary, input: {} }),
      status: "pending",
      reach: {},
      comment: null,
      decidedBy: null,
      createdAt: now,
      expiresAt: new Date(now.getTime() + 86_400_000),
      decidedAt: null,
    });
  });
  const put = await platform.call("PUT", "/api/v1/connections/erp", {
    headers: owner.asProgram,
    body: { base_url: "https://erp.example.com", material: { token: canary } },
  });
  if (put.status !== 200) throw new Error(`The connection could not be made: ${put.text}`);
  const document = await platform.call("PUT", "/api/v1/collections/handbook/documents/prices.txt", {
    headers: { ...owner.asProgram, "content-type": "text/plain" },
    body: canary,
  });
  if (document.status !== 200) throw new Error(`The document could not be put: ${document.text}`);
  const evalRun = await addEvalRun(platform, owner);
  return {
    ...(await addBills(platform, { owner, subscription, secret: canary })),
    tenant: tenantId,
    eval: "greets",
    evalRun,
    agent: "support",
    agentId,
    deletedAgent: "gone",
    invocation,
    subscription,
    keyHash: digest(owner.key),
    connection: "erp",
    collection: "handbook",
    document: "prices.txt",
    period,
    approval,
    member,
    invitation,
    inviteToken,
    person,
    session,
    emailToken,
  };
}

/** Makes a person ask for another e-mail address; with a token, the operator's link is issued too. */
async function addEmailChange({ storage, clock }: PlatformDeps, userId: string, token?: string) {
  const requestedAt = clock.now();
  const row = {
    userId,
    purpose: "email" as const,
    email: `${newId()}@example.com`,
    tokenHash: token === undefined ? null : digest(token),
    requestedAt,
    expiresAt: new Date(requestedAt.getTime() + 3_600_000),
  };
  await storage.transact((tx) => tx.insert(storage.tables.accountLinks).values(row));
}

/** Stores the eval `greets` and orders a run of it, which has a result. */
async function addEvalRun({ call, deps: { storage } }: TestPlatform, owner: TestTenant): Promise<string> {
  const headers = owner.asProgram;
  const document = evalDocument("greets");
  const body = { ...document, spec: { ...document.spec, description: canary } };
  const put = await call("PUT", "/api/v1/evals/greets", { headers, body });
  const ordered = await call("POST", "/api/v1/evals/greets/runs", { headers, body: {} });
  if (put.status !== 200 || ordered.status !== 202)
    throw new Error(`The eval could not be run: ${put.text} ${ordered.text}`);
  const { id: runId } = ordered.body;
  const result = JSON.stringify({ case: "case-1", turns: [{ query: canary }], checks: [] });
  const row = {
    ownerId: owner.id,
    runId,
    number: 1,
    caseId: "case-1",
    passed: false,
    failure: null,
    result,
  };
  await storage.transact((tx) => tx.insert(storage.tables.evalResults).values(row));
  return runId;
}

/** Returns things of the same length and form, so that an answer differs in nothing else. */
function nowhere(things: Things): Things {
  const ids = { tenant: newId(), agentId: newId(), invocation: newId(), subscription: newId() };
  return {
    ...ids,
    ...noBills(),
    agent: "nobody0".slice(0, things.agent.length),
    deletedAgent: "none",
    keyHash: randomBytes(32).toString("hex"),
    connection: "zzz",
    eval: "absent",
    evalRun: newId(),
    collection: "nothings",
    document: "nobody.txt",
    period: newId(),
    approval: newId(),
    member: newId(),
    invitation: newId(),
    inviteToken: randomBytes(32).toString("base64url"),
    person: `${newId()}@example.com`,
    session: newId(),
    emailToken: randomBytes(32).toString("base64url"),
  };
}

async function signIn(
  { storage, tokens, clock }: PlatformDeps,
  userId: string,
  revokedAt: Date | null = null,
): Promise<string> {
  const { sessions } = storage.tables;
  const id = newId();
  const createdAt = clock.now();
  await storage.transact((tx) => tx.insert(sessions).values({ id, userId, createdAt, revokedAt }));
  return `Bearer ${await tokens.issue({ userId, sessionId: id })}`;
}

async function addOwnTenant({ storage, clock }: PlatformDeps, userId: string): Promise<string> {
  const { tenants, tenantMembers } = storage.tables;
  const id = newId();
  const row = { id, userId, crName: `second-${id}`, displayName: "Second", deletedAt: null };
  const now = clock.now();
  await storage.transact(async (tx) => {
    await tx.insert(tenants).values({ ...row, createdAt: now });
    await tx.insert(tenantMembers).values({ tenantId: id, userId, role: "owner", joinedAt: now });
  });
  return id;
}

async function addMember(
  { storage, clock }: PlatformDeps,
  tenantId: string,
  userId: string,
): Promise<string> {
  const row = { tenantId, userId, role: "viewer" as const, joinedAt: clock.now() };
  await storage.transact((tx) => tx.insert(storage.tables.tenantMembers).values(row));
  return userId;
}

async function addInvitation(
  { storage, clock }: PlatformDeps,
  { token, ...invitation }: { id: string; tenantId: string; email: string; token: string },
): Promise<void> {
  const invitedAt = clock.now();
  const expiresAt = new Date(invitedAt.getTime() + 86_400_000);
  const row = { ...invitation, role: "member" as const, tokenHash: digest(token), invitedBy: newId() };
  await storage.transact((tx) =>
    tx.insert(storage.tables.tenantInvitations).values({ ...row, invitedAt, expiresAt }),
  );
}

async function addRevokedKey({ storage, clock }: PlatformDeps, owner: TestTenant): Promise<string> {
  const { apiKeys } = storage.tables;
  const key = `apk_${randomBytes(32).toString("base64url")}`;
  const at = clock.now();
  const row = { tenantId: owner.id, label: "old", createdBy: owner.userId, createdAt: at, revokedAt: at };
  await storage.transact((tx) => tx.insert(apiKeys).values({ ...row, hash: digest(key), lastUsedAt: null }));
  return key;
}

async function addRunToken({ deps }: TestPlatform, tenantId: string, livesMs: number): Promise<string> {
  const { runTokens } = deps.storage.tables;
  const token = randomBytes(32).toString("base64url");
  const expiresAt = new Date(deps.clock.now().getTime() + livesMs);
  const reach = { recipients: ["+34600000000"] };
  await deps.storage.transact((tx) =>
    tx.insert(runTokens).values({ hash: digest(token), tenantId, invocationId: newId(), reach, expiresAt }),
  );
  return `Bearer ${token}`;
}

async function setDeleted({ storage, clock }: PlatformDeps, tenantId: string): Promise<void> {
  const { tenants } = storage.tables;
  const deletedAt = clock.now();
  await storage.transact((tx) => tx.update(tenants).set({ deletedAt }).where(eq(tenants.id, tenantId)));
}

const digest = (secret: string) => new Bun.CryptoHasher("sha256").update(secret).digest("hex");
