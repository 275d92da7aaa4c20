import { listen } from "../../src/http/listen.ts";
import { systemClock } from "../../src/kit/clock.ts";
import { serviceFetch } from "../../src/kit/fetch/service-fetch.ts";
import { newId } from "../../src/kit/id.ts";
import { agentKind } from "../../src/manifest/agent/agent-kind.ts";
import { ragPipelineKind } from "../../src/manifest/rag-pipeline.ts";
import type { CloudAccount } from "../../src/services/translator/accounts/account.ts";
import { Accounts } from "../../src/services/translator/accounts/accounts.ts";
import { LocalAccount } from "../../src/services/translator/accounts/local/local-account.ts";
import { createTranslatorApp } from "../../src/services/translator/app.ts";
import type { TranslatorDeps } from "../../src/services/translator/deps.ts";
import { tables } from "../../src/services/translator/tables.ts";
import { type Answer, answerOf, type CallOptions } from "./daemon.ts";
import { FakeClock } from "./fake-clock.ts";
import { type LoggedEvent, recordingLogger } from "./recording-logger.ts";
import type { TestEngine } from "./storage-engines.ts";

/** The translator on a free port over an engine's empty database, with the embedded account `local` and a clock that does not move. */
export interface TestTranslator extends AsyncDisposable {
  url: string;
  deps: TranslatorDeps;
  clock: FakeClock;
  logged: LoggedEvent[];
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** Submits a manifest and returns its path below `/v1/specs`. */
  submit(yaml: string): Promise<string>;
  /** Aborts `stopping`, as the end of the process does. */
  stop(): void;
}

/** `accountsOf` replaces or wraps the embedded account. */
export async function startTranslator(
  engine: TestEngine,
  accountsOf: (local: LocalAccount) => readonly CloudAccount[] = (local) => [local],
): Promise<TestTranslator> {
  await using held = new AsyncDisposableStack();
  const clock = new FakeClock("2026-03-10T12:00:00.000Z");
  const storage = held.use(await engine.open({ service: "translator", tables }));
  const { log, logged } = recordingLogger();
  const stopping = new AbortController();
  held.defer(() => stopping.abort());
  const local = new LocalAccount("local", "gcp", { storage, clock, newId });
  const deps: TranslatorDeps = {
    version: "0.0.0",
    clock,
    newId,
    log,
    storage,
    accounts: new Accounts(accountsOf(local)),
    manifests: { agent: agentKind({}), pipeline: ragPipelineKind({}) },
    stopping: stopping.signal,
  };
  const app = createTranslatorApp(deps, {
    access: { exposed: false, allowedHosts: [], guard: "api_token", openPaths: [] },
    secure: false,
    readReadiness: async () => [],
  });
  const listener = listen(app, { host: "127.0.0.1", port: 0 }, { clock: systemClock });
  held.defer(() => listener.stop(0));
  const call = async (method: string, path: string, { headers = {}, body }: CallOptions = {}) =>
    answerOf(
      await serviceFetch(`${listener.url}${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      }),
    );
  const ending = held.move();
  return {
    url: listener.url,
    deps,
    clock,
    logged,
    call,
    async submit(yaml) {
      const { status, body } = await call("POST", "/v1/specs", { body: { yaml } });
      if (status !== 200) throw new Error(`The manifest was refused: ${JSON.stringify(body)}`);
      return `/v1/specs/${body.kind}/${body.name}`;
    },
    stop: () => stopping.abort(),
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

/** A manifest that uses nearly every section that Google Cloud covers. */
export const deskYaml = `apiVersion: platform/v1
kind: Agent
metadata: {name: help-desk}
spec:
  identity: {display_name: Help desk, description: Answers customers.}
  model:
    primary: {provider: openai, model: google/gemini-2.5-flash, parameters: {temperature: 0.2, max_tokens: 400, stop: [END]}}
  prompts: {system: "Answer in two sentences."}
  tools:
    - {name: web_search, type: builtin}
    - {name: open-ticket, type: client, description: Opens a ticket., parameters: {type: object, properties: {title: {type: string}}}}
  memory: {semantic: {max_results: 4}}
  knowledge: {pipeline: handbook, top_k: 3}
  guardrails:
    input: [{type: pii_detection, action: redact}]
  observability: {tracing: true}
`;

export const handbookYaml = `apiVersion: platform/v1
kind: RAGPipeline
metadata: {name: handbook}
spec:
  description: The handbook.
  chunking: {chunk_size: 800, overlap: 80}
  retrieval: {top_k: 6, similarity_threshold: 0.4}
`;

/** The least agent: one resource. */
export const agentYaml = (name: string, description = "An agent."): string => `apiVersion: platform/v1
kind: Agent
metadata: {name: ${name}}
spec: {identity: {description: ${JSON.stringify(description)}}}
`;
