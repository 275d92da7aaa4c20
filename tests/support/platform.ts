import { randomBytes } from "node:crypto";
import { KeyUses } from "../../src/control-plane/keys/key-uses.ts";
import { EvalWork } from "../../src/evals/hosted/eval-work.ts";
import { listen } from "../../src/http/listen.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { serviceFetch } from "../../src/kit/fetch/service-fetch.ts";
import { newId } from "../../src/kit/id.ts";
import { createPdfPrinter } from "../../src/kit/process/print-pdf.ts";
import { createPlatformApp } from "../../src/services/platform/app.ts";
import { createAccessTokens } from "../../src/services/platform/auth/access-tokens.ts";
import { SlowLanes } from "../../src/services/platform/auth/slow-lanes.ts";
import type { PlatformDeps } from "../../src/services/platform/deps.ts";
import { createPlatformMetrics } from "../../src/services/platform/metrics/platform-metrics.ts";
import { seedDefaultPlan } from "../../src/services/platform/plans/plan-commands.ts";
import { TenantDurableRuns } from "../../src/services/platform/runs/durable/durable-runs.ts";
import { UnsettledRuns } from "../../src/services/platform/runs/settlement/unsettled-runs.ts";
import { tables } from "../../src/services/platform/tables.ts";
import { OwnerLife } from "../../src/storage/owner-life.ts";
import { createSealer } from "../../src/storage/sealing/seal.ts";
import { type Answer, answerOf, type CallOptions } from "./daemon.ts";
import { FakeClock } from "./fake-clock.ts";
import { type LoggedEvent, recordingLogger } from "./recording-logger.ts";
import { type StagedRuntime, stagedRuntime } from "./staged-runtime.ts";
import type { TestEngine } from "./storage-engines.ts";

/** The platform on a free port over an engine's empty database, with a clock that does not move and a staged runtime. */
export interface TestPlatform extends AsyncDisposable {
  url: string;
  deps: PlatformDeps;
  clock: FakeClock;
  runtime: StagedRuntime;
  logged: LoggedEvent[];
  routes: readonly { method: string; path: string }[];
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Inserts a tenant of a new person; no password is hashed for it. */
  tenant(change?: { role?: "user" | "operator" }): Promise<TestTenant>;
}

export interface TestTenant {
  id: string;
  userId: string;
  key: string;
  /** Headers of a program with the tenant's key. */
  asProgram: Record<string, string>;
  /** Headers of the tenant's owner. */
  asPerson: Record<string, string>;
}

export const operatorToken = "operator-token-of-at-least-32-bytes";
export const asOperator = { "x-operator-token": operatorToken };

export async function startPlatform(
  engine: TestEngine,
  change: (deps: PlatformDeps) => PlatformDeps = (deps) => deps,
): Promise<TestPlatform> {
  await using held = new AsyncDisposableStack();
  const clock = new FakeClock("2026-03-10T12:00:00.000Z");
  const storage = held.use(await engine.open({ service: "platform", tables }));
  await seedDefaultPlan(storage, clock.now());
  const { log, logged } = recordingLogger();
  const runtime = stagedRuntime();
  const ring = [{ kid: "k1", secret: randomBytes(32) }] as const;
  const stopping = new AbortController();
  const left = new Set<Promise<unknown>>();
  held.defer(async () => void (await Promise.allSettled(left)));
  held.defer(() => stopping.abort());
  const owner = newId();
  const deps = change({
    version: "0.0.0",
    clock,
    newId,
    random: Math.random,
    log,
    storage,
    tokens: createAccessTokens(ring, clock),
    passwords: plainPasswords,
    signInLanes: new SlowLanes(clock),
    sealer: createSealer(ring),
    operatorToken,
    keyUses: new KeyUses(clock),
    runtime,
    messages: undefined,
    gatewayStorage: undefined,
    printPdf: createPdfPrinter(),
    postNotice: async () => ({ status: 204, retryAfterMs: undefined }),
    noticeMail: undefined,
    publicUrl: undefined,
    costOf: () => null,
    metrics: createPlatformMetrics(() => []),
    settings: {
      registration: { here: "open", beyond: "open" },
      runTimeoutMs: 120_000,
      durable: true,
      allowUnpriced: true,
    },
    unsettled: new UnsettledRuns(clock, log),
    durable: new TenantDurableRuns(runtime),
    evalWork: new EvalWork(),
    owner,
    life: new OwnerLife(storage, owner, clock),
    stopping: stopping.signal,
    outlives: (work) => void left.add(work),
  });
  const app = createPlatformApp(deps, {
    access: { exposed: false, allowedHosts: [], guard: "routes", openPaths: [] },
    secure: false,
    readReadiness: async () => [],
  });
  // Only its stop takes time, and an unread body could block that forever.
  const listener = listen(app, { host: "127.0.0.1", port: 0 }, { clock: systemClock });
  held.defer(() => listener.stop(0));
  const ending = held.move();
  return {
    url: listener.url,
    deps,
    clock,
    runtime,
    logged,
    routes: app.routes(),
    async call(method, path, { body, headers = {}, signal }: CallOptions = {}) {
      const isRaw = typeof body === "string" || body instanceof Uint8Array;
      const sent = body === undefined ? {} : { body: isRaw ? (body as BodyInit) : JSON.stringify(body) };
      const answer = await serviceFetch(`${listener.url}${path}`, {
        method,
        headers,
        ...sent,
        ...(signal && { signal }),
      });
      return answerOf(answer);
    },
    tenant: (options) => addTenant(deps, options),
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

/** Passwords in clear text: hashing has tests of its own. */
const plainPasswords: PlatformDeps["passwords"] = {
  hash: async (password) => `plain:${password}`,
  verify: async (password, hash) => hash === `plain:${password}`,
};

async function addTenant(
  { storage, tokens, clock }: PlatformDeps,
  { role = "user" }: { role?: "user" | "operator" } = {},
): Promise<TestTenant> {
  const { users, sessions, tenants, tenantMembers, apiKeys } = storage.tables;
  const [userId, sessionId, id] = [newId(), newId(), newId()];
  const key = `apk_${randomBytes(32).toString("base64url")}`;
  const hash = new Bun.CryptoHasher("sha256").update(key).digest("hex");
  const createdAt = clock.now();
  await storage.transact(async (tx) => {
    const email = `${userId}@example.com`;
    await tx
      .insert(users)
      .values({ id: userId, email, displayName: "Ada", passwordHash: "plain:secret", role, createdAt });
    await tx.insert(sessions).values({ id: sessionId, userId, createdAt, revokedAt: null });
    await tx
      .insert(tenants)
      .values({ id, userId, crName: `ada-${id}`, displayName: "Ada's", createdAt, deletedAt: null });
    await tx.insert(tenantMembers).values({ tenantId: id, userId, role: "owner", joinedAt: createdAt });
    await tx.insert(apiKeys).values({
      hash,
      tenantId: id,
      label: "test",
      createdBy: userId,
      createdAt,
      lastUsedAt: null,
      revokedAt: null,
    });
  });
  const token = await tokens.issue({ userId, sessionId });
  return {
    id,
    userId,
    key,
    asProgram: { "x-api-key": key },
    asPerson: { authorization: `Bearer ${token}`, "x-tenant-id": id },
  };
}
