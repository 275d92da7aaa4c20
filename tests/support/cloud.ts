import { randomBytes } from "node:crypto";
import { KeyUses } from "../../src/control-plane/keys/key-uses.ts";
import { EvalWork } from "../../src/evals/hosted/eval-work.ts";
import { listen } from "../../src/http/listen.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { serviceFetch } from "../../src/kit/fetch/service-fetch.ts";
import { newId } from "../../src/kit/id.ts";
import { createChangeLimit } from "../../src/services/cloud/access/change-limit.ts";
import { builtinPlans } from "../../src/services/cloud/access/plans.ts";
import { createCloudApp } from "../../src/services/cloud/app.ts";
import type { CloudDeps } from "../../src/services/cloud/deps.ts";
import { Admissions } from "../../src/services/cloud/runs/admissions.ts";
import { OpenStreams } from "../../src/services/cloud/runs/open-streams.ts";
import { RunUsage } from "../../src/services/cloud/runs/run-usage.ts";
import { tables } from "../../src/services/cloud/tables.ts";
import { createAccessTokens } from "../../src/storage/access-tokens.ts";
import { OwnerLife } from "../../src/storage/owner-life.ts";
import { createSealer } from "../../src/storage/sealing/seal.ts";
import { type Answer, answerOf, type CallOptions } from "./daemon.ts";
import { FakeClock } from "./fake-clock.ts";
import { type LoggedEvent, recordingLogger } from "./recording-logger.ts";
import { type StagedRuntime, stagedRuntime } from "./staged-runtime.ts";
import type { TestEngine } from "./storage-engines.ts";

/** The cloud on a free port over an engine's empty database, with a clock that does not move and a staged runtime. */
export interface TestCloud extends AsyncDisposable {
  url: string;
  deps: CloudDeps;
  clock: FakeClock;
  runtime: StagedRuntime;
  logged: LoggedEvent[];
  routes: readonly { method: string; path: string }[];
  /** Calls a path below `/api/v1`. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Signs a person in by the development login. */
  login(email: string, name?: string): Promise<CloudPerson>;
}

export interface CloudPerson {
  slug: string;
  accessToken: string;
  refreshToken: string;
  /** Headers with the access token. */
  headers: Record<string, string>;
  /** Path of the org. */
  org: string;
}

export const cloudRing = [{ kid: "k1", secret: randomBytes(32) }] as const;

export const cloudTokenKind = {
  issuer: "cloud",
  audience: "cloud-api",
  purpose: "cloud access tokens",
  seconds: 86_400,
};

export async function startCloud(
  engine: TestEngine,
  change: (deps: CloudDeps) => CloudDeps = (deps) => deps,
): Promise<TestCloud> {
  await using held = new AsyncDisposableStack();
  const clock = new FakeClock("2026-03-10T12:00:00.000Z");
  const storage = held.use(await engine.open({ service: "cloud", tables }));
  const { log, logged } = recordingLogger();
  const runtime = stagedRuntime();
  runtime.catalog = async () => ({
    builtins: ["datetime_now", "calculator"].map((name) => ({
      name,
      description: `The tool ${name}.`,
      parameters: {},
      writes: false,
    })),
    guardrails: [],
    providers: [{ provider: "rehearsal", models: ["rehearsal"] }],
    integrations: [],
  });
  const stopping = new AbortController();
  held.defer(() => stopping.abort());
  const streams = new OpenStreams({ storage, newId, log });
  const owner = newId();
  const deps = change({
    version: "0.0.0",
    clock,
    newId,
    log,
    storage,
    tokens: createAccessTokens(cloudRing, clock, cloudTokenKind),
    keyUses: new KeyUses(clock),
    plans: builtinPlans,
    changes: createChangeLimit(clock),
    sealer: createSealer(cloudRing),
    identityFetch: (request) => serviceFetch(request),
    signIn: { dev: "local", google: undefined, github: undefined },
    runtime,
    settings: { runTimeoutMs: 40_000 },
    streams,
    admissions: new Admissions({ storage, clock }),
    evalWork: new EvalWork(),
    owner,
    life: new OwnerLife(storage, owner, clock),
    runUsage: new RunUsage({ storage, clock, log, runtime }),
    stopping: stopping.signal,
  });
  const app = createCloudApp(deps, {
    access: { exposed: false, allowedHosts: [], guard: "routes", openPaths: [] },
    secure: false,
    readReadiness: async () => [],
  });
  const listener = listen(app, { host: "127.0.0.1", port: 0 }, { clock: systemClock });
  held.defer(() => listener.stop(0));
  const ending = held.move();
  const call: TestCloud["call"] = async (method, path, { body, headers = {}, signal } = {}) => {
    const sent = body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) };
    return answerOf(
      await serviceFetch(`${listener.url}/api/v1${path}`, {
        method,
        headers,
        ...sent,
        ...(signal && { signal }),
      }),
    );
  };
  return {
    url: listener.url,
    deps,
    clock,
    runtime,
    logged,
    routes: app.routes(),
    call,
    async login(email, name = "Ada") {
      const { status, body } = await call("POST", "/auth/dev/login", { body: { email, name } });
      if (status !== 200) throw new Error(`The sign-in was refused: ${JSON.stringify(body)}`);
      return {
        slug: body.org_slug,
        accessToken: body.access_token,
        refreshToken: body.refresh_token,
        headers: { authorization: `Bearer ${body.access_token}` },
        org: `/orgs/${body.org_slug}`,
      };
    },
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

/** A config that can be deployed without a provider key. */
export const draft = (name: string, change: Record<string, unknown> = {}) => ({
  name,
  display_name: `The ${name}`,
  step1: { model: "rehearsal/rehearsal" },
  step2: { system_prompt: "Answer in one sentence." },
  ...change,
});

/** Creates an agent and deploys it. */
export async function deploy(cloud: TestCloud, person: CloudPerson, body = draft("helper")): Promise<string> {
  const { headers, org } = person;
  const created = await cloud.call("POST", `${org}/agents`, { headers, body });
  if (created.status !== 201) throw new Error(`The agent was refused: ${JSON.stringify(created.body)}`);
  const path = `${org}/agents/${body.name}`;
  const deployed = await cloud.call("POST", `${path}/deploy`, { headers });
  if (deployed.status !== 200)
    throw new Error(`The deployment was refused: ${JSON.stringify(deployed.body)}`);
  return path;
}
