/**
 * All of a run's work written by hand on Bun.serve: checked body, input guardrails, history from SQLite, template, model and tool calls,
 * output guardrails, and conversation, run and spans on disk before the answer. It makes the daemon's promises (`synchronous = FULL`, the
 * same search for personal data) without its structure: one agent shape, no providers, no limits, no cancellation.
 */
import { Database } from "bun:sqlite";
import { findPii, piiEntities, undecidedFrom } from "../../src/engine/guardrails/pii/find-pii.ts";
import { callModel, doneFrame, readTokens, tokenFrame, tools } from "./ceiling-work.ts";
import { directStream } from "./direct-stream.ts";
import { type AgentName, agents, ports, systemTemplate } from "./workload.ts";

interface Message {
  role: string;
  content: string | null;
  tool_calls?: { id: string }[];
  tool_call_id?: string;
}

interface Completion {
  choices: [{ message: Message }];
  usage: { prompt_tokens: number; completion_tokens: number };
}

interface RunRequest {
  query: string;
  session_id: string;
}

type Span = [name: string, startedAt: number, ms: number, attributes: string];

interface Run {
  id: string;
  agent: AgentName;
  session: string;
  startedAt: number;
  said: Message[];
  spans: Span[];
  inputTokens: number;
  outputTokens: number;
}

const database = new Database("full.db");
database.run("PRAGMA journal_mode = WAL");
database.run("PRAGMA synchronous = FULL");
database.run(
  "CREATE TABLE IF NOT EXISTS message (id INTEGER PRIMARY KEY, session TEXT, role TEXT, body TEXT, at INTEGER)",
);
database.run("CREATE INDEX IF NOT EXISTS message_session ON message (session, id)");
database.run(
  "CREATE TABLE IF NOT EXISTS run (id TEXT PRIMARY KEY, agent TEXT, session TEXT, status TEXT, at INTEGER, ms REAL, input INTEGER, output INTEGER)",
);
database.run(
  "CREATE TABLE IF NOT EXISTS span (id INTEGER PRIMARY KEY, run TEXT, name TEXT, at INTEGER, ms REAL, attributes TEXT)",
);
const recent = database.prepare<{ body: string }, [string]>(
  "SELECT body FROM message WHERE session = ? ORDER BY id DESC LIMIT 20",
);
const addMessage = database.prepare("INSERT INTO message (session, role, body, at) VALUES (?, ?, ?, ?)");
const addRun = database.prepare("INSERT INTO run VALUES (?, ?, ?, 'ok', ?, ?, ?, ?)");
const addSpan = database.prepare("INSERT INTO span (run, name, at, ms, attributes) VALUES (?, ?, ?, ?, ?)");

const commit = database.transaction((runs: readonly Run[]) => {
  for (const run of runs) {
    for (const message of run.said)
      addMessage.run(run.session, message.role, JSON.stringify(message), run.startedAt);
    const ms = Date.now() - run.startedAt;
    addRun.run(run.id, run.agent, run.session, run.startedAt, ms, run.inputTokens, run.outputTokens);
    for (const [name, at, spanMs, attributes] of run.spans) addSpan.run(run.id, name, at, spanMs, attributes);
  }
});

/** Runs that end in one turn of the event loop share a commit, and their answers wait for it. */
let waiting: Run[] = [];
let committed: Promise<void> | undefined;
function persist(run: Run): Promise<void> {
  waiting.push(run);
  committed ??= new Promise((resolve, reject) =>
    setImmediate(() => {
      const runs = waiting;
      waiting = [];
      committed = undefined;
      try {
        commit(runs);
        resolve();
      } catch (thrown) {
        reject(thrown);
      }
    }),
  );
  return committed;
}

const entities = new Set(piiEntities);
const charsMax = 10_000;

function redact(text: string): string {
  if (!/[0-9@]/.test(text)) return text;
  let clean = "";
  let at = 0;
  for (const { entity, start, end } of findPii(text, entities)) {
    clean += `${text.slice(at, start)}[${entity.toUpperCase()}]`;
    at = end;
  }
  return clean + text.slice(at);
}

/** The template's one variable and one loop. */
const [beforeTools = "", afterTools = ""] = systemTemplate.split(/\{% for.*endfor %\}\n/s);
function render(agent: AgentName): string {
  const list = agents[agent].usesTool ? tools.map(({ function: tool }) => tool) : [];
  return (
    beforeTools.replace("{{ agent_name }}", agent) +
    list.map(({ name, description }) => `- ${name}: ${description}\n`).join("") +
    afterTools
  );
}

function begin(agent: AgentName, { query, session_id: session }: RunRequest) {
  if (typeof query !== "string" || query === "" || typeof session !== "string" || !(agent in agents))
    throw new Error("The body is not valid.");
  if (query.length > charsMax) throw new Error("The query is too long.");
  const user = { role: "user", content: redact(query) };
  const history = recent.all(session).map(({ body }) => JSON.parse(body) as Message);
  history.reverse();
  while (history.length > 0 && history[0]?.role !== "user") history.shift();
  const run: Run = {
    id: Bun.randomUUIDv7(),
    agent,
    session,
    startedAt: Date.now(),
    said: [user],
    spans: [],
    inputTokens: 0,
    outputTokens: 0,
  };
  return { run, messages: [{ role: "system", content: render(agent) }, ...history, user] as Message[] };
}

async function answer(agent: AgentName, body: RunRequest) {
  const { run, messages } = begin(agent, body);
  const { model, usesTool } = agents[agent];
  for (;;) {
    const startedAt = performance.now();
    const response = await callModel({ model, messages, ...(usesTool ? { tools } : {}) });
    const { choices, usage } = (await response.json()) as Completion;
    const { message } = choices[0];
    run.inputTokens += usage.prompt_tokens;
    run.outputTokens += usage.completion_tokens;
    run.spans.push(["llm", Date.now(), performance.now() - startedAt, JSON.stringify({ model })]);
    if (!message.tool_calls) {
      const response = redact(message.content ?? "");
      run.said.push({ role: "assistant", content: response });
      await persist(run);
      return { response, session_id: run.session, run_id: run.id, usage };
    }
    for (const said of [message, ...message.tool_calls.map(tellTime)]) {
      run.said.push(said);
      messages.push(said);
    }
    run.spans.push(["tool", Date.now(), 0, "{}"]);
  }
}

const tellTime = ({ id }: { id: string }): Message => ({
  role: "tool",
  tool_call_id: id,
  content: new Date().toISOString(),
});

/** Yields the tokens that the search for personal data has let pass. */
async function* stream(agent: AgentName, body: RunRequest): AsyncGenerator<string[]> {
  const { run, messages } = begin(agent, body);
  const { model } = agents[agent];
  let text = "";
  let held = "";
  for await (const tokens of readTokens({ model, messages })) {
    const shown: string[] = [];
    for (const token of tokens) {
      held += token;
      const decided = undecidedFrom(held, entities, 0);
      if (decided === 0) continue;
      const clean = redact(held.slice(0, decided));
      held = held.slice(decided);
      text += clean;
      shown.push(clean);
    }
    if (shown.length > 0) yield shown;
  }
  if (held !== "") yield [redact(held)];
  run.said.push({ role: "assistant", content: text + redact(held) });
  await persist(run);
}

const server: Bun.Server<{ agent: AgentName }> = Bun.serve({
  port: ports.server,
  hostname: "127.0.0.1",
  idleTimeout: 60,
  routes: {
    "/health": () => new Response("ok"),
    "/v1/agents/:name/run": async (request: Bun.BunRequest<"/v1/agents/:name/run">) => {
      const agent = request.params.name as AgentName;
      const body = (await request.json()) as RunRequest;
      if (request.headers.get("accept") !== "text/event-stream")
        return Response.json(await answer(agent, body));
      const frames = directStream(async (controller) => {
        for await (const tokens of stream(agent, body)) {
          for (const token of tokens) controller.write(`data: ${tokenFrame(token)}\n\n`);
          controller.flush();
        }
        controller.write(`data: ${doneFrame}\n\n`);
        controller.close();
      });
      return new Response(frames, { headers: { "content-type": "text/event-stream" } });
    },
    "/v1/ws/agent/:name": (request: Bun.BunRequest<"/v1/ws/agent/:name">): Response | undefined => {
      const agent = request.params.name as AgentName;
      return server.upgrade(request, { data: { agent } })
        ? undefined
        : new Response("not a WebSocket", { status: 400 });
    },
  },
  websocket: {
    data: {} as { agent: AgentName },
    async message(socket, message) {
      const body = JSON.parse(String(message)) as RunRequest;
      for await (const tokens of stream(socket.data.agent, body))
        for (const token of tokens) socket.send(tokenFrame(token));
      socket.send(doneFrame);
    },
  },
});
