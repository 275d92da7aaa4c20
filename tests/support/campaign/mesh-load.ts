import { deliveryOf, textMessage } from "../message-provider.ts";
import { type MeshWorld, nodeNames, streamedPieces, type Tenant } from "./mesh-world.ts";

const runPath = "/api/v1/agents/shop/run";
/** Micros by which the cap of the tenant `capped` is raised when it is reached. */
const capStep = 12_000_000;

/** A run of the platform under a key of its own; `answer` is undefined if the caller got none. */
interface KeyedRun {
  tenant: Tenant;
  key: string;
  query: string;
  answer: string | undefined;
  charged: number;
}

/** Observations of the callers of a mesh. Lines of `faults` are broken promises. */
export interface LoadLog {
  faults: string[];
  /** Number of outcomes, by kind of request and outcome. */
  outcomes: Map<string, number>;
  keyed: KeyedRun[];
  /** Times at which messages of customers were accepted by a gateway, by their text. */
  asked: Map<string, number>;
  /** Checks that `charged + held` is within the cap, and how often a run was refused because of it. */
  capChecks: number;
  capsReached: number;
  /** Resolves the wait for the first answer after this instant; set by whoever kills a node. */
  failedAt: number;
  failoversMs: number[];
}

export interface MeshLoad {
  log: LoadLog;
  /** Ends the load, and resolves when all requests have ended. */
  end(): Promise<void>;
}

/** Sends runs, capped runs, streams and messages of a channel to all nodes in turn until it is ended. */
export function startMeshLoad(world: MeshWorld): MeshLoad {
  const log: LoadLog = {
    faults: [],
    outcomes: new Map(),
    keyed: [],
    asked: new Map(),
    capChecks: 0,
    capsReached: 0,
    failedAt: 0,
    failoversMs: [],
  };
  let isOver = false;
  let turn = 0;
  let cap = capStep;
  let isCapReached = false;
  const nextNode = () => nodeNames[turn++ % nodeNames.length] ?? "a";
  const count = (outcome: string) => log.outcomes.set(outcome, (log.outcomes.get(outcome) ?? 0) + 1);

  async function run(tenant: Tenant, kind: "order" | "cap"): Promise<void> {
    const key = `${kind}-${log.keyed.length}`;
    const keyed: KeyedRun = { tenant, key, query: key, answer: undefined, charged: 0 };
    log.keyed.push(keyed);
    const startedAt = performance.now();
    const outcome = await askKeyed(world, nextNode(), keyed);
    count(`${kind}: ${outcome === undefined ? "no answer" : shown(outcome)}`);
    if (outcome?.body?.error === "credit_budget_exhausted") isCapReached = true;
    if (outcome?.status !== 200 || outcome.body.answer === undefined) return;
    Object.assign(keyed, { answer: outcome.body.answer, charged: outcome.body.credits_charged_micros });
    if (log.failedAt > 0 && startedAt > log.failedAt) {
      log.failoversMs.push(performance.now() - log.failedAt);
      log.failedAt = 0;
    }
  }

  async function runs(tenant: Tenant, kind: "order" | "cap") {
    while (!isOver) {
      await run(tenant, kind);
      await Bun.sleep(kind === "cap" && isCapReached ? 200 : 80);
    }
  }

  /** Looks at the capped tenant's counter on one node after the other, and raises the cap when it refuses runs. */
  async function caps() {
    while (!isOver) {
      await Bun.sleep(50);
      const node = nextNode();
      const seen = await world.credits(node, world.capped).catch(() => undefined);
      if (seen === undefined) continue;
      log.capChecks++;
      if (seen.charged + seen.held > cap) log.faults.push(`cap ${cap}: ${JSON.stringify(seen)}`);
      if (!isCapReached) continue;
      const isRaised = await world.setCap(node, world.capped, cap + capStep).then(
        () => true,
        () => false,
      );
      if (!isRaised) continue;
      log.capsReached++;
      cap += capStep;
      isCapReached = false;
    }
  }

  async function streams() {
    for (let number = 0; !isOver; number++) {
      const told = await stream(world, nextNode(), `stream-${number}`);
      if (!streamedPieces.join("").startsWith(told.text)) log.faults.push(`tokens repeated: ${told.text}`);
      if (told.response !== undefined && told.response.trim() !== streamedPieces.join("").trim()) {
        log.faults.push(`a stream ended with: ${told.response}`);
      }
      count(`stream: ${told.end}`);
      await Bun.sleep(100);
    }
  }

  async function customers() {
    for (let number = 0; !isOver; number++) {
      const text = `ask-${number}`;
      const fields = {
        from: String(5_215_550_000_000 + (number % 97)),
        timestamp: String(Math.floor(Date.now() / 1000)),
      };
      const body = deliveryOf([textMessage(`wamid.IN${number}`, text, fields)]);
      while (!(await world.deliver(nextNode(), body).catch(() => false))) await Bun.sleep(20);
      log.asked.set(text, performance.now());
      count("message: accepted");
      await Bun.sleep(150);
    }
  }

  const clients = [
    ...Array.from({ length: 3 }, () => runs(world.busy, "order")),
    ...Array.from({ length: 3 }, () => runs(world.capped, "cap")),
    caps(),
    ...Array.from({ length: 2 }, streams),
    customers(),
  ];
  return {
    log,
    async end() {
      isOver = true;
      await Promise.all(clients);
    },
  };
}

const shown = ({ status, body }: { status: number; body: { error?: string; status?: string } }) =>
  `${status} ${body?.error ?? body?.status ?? ""}`.trim();

/** Sends a run under its key; undefined without an answer. */
export const askKeyed = (world: MeshWorld, node: string, { tenant, key, query }: KeyedRun) =>
  world.post(node, runPath, { query }, { ...tenant.headers, "idempotency-key": key }).catch(() => undefined);

/** Reads a stream of the daemon's agent `helper`: the tokens, and how it ended. */
async function stream(
  { mesh }: MeshWorld,
  node: string,
  session: string,
): Promise<{ text: string; response?: string; end: string }> {
  let text = "";
  try {
    const answer = await fetch(`${mesh.get(node).url}/v1/agents/helper/run`, {
      method: "POST",
      body: JSON.stringify({ query: session, session_id: session }),
      headers: { accept: "text/event-stream", "content-type": "application/json" },
    });
    if (!answer.ok)
      return { text, end: shown({ status: answer.status, body: (await answer.json()) as never }) };
    let pending = "";
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream() as never) ?? []) {
      pending += chunk;
      const frames = pending.split("\n\n");
      pending = frames.pop() ?? "";
      for (const frame of frames) {
        if (!frame.startsWith("data: ")) continue;
        const event = JSON.parse(frame.slice("data: ".length));
        if (event.type === "token") text += event.content;
        if (event.type === "done") return { text, response: event.response, end: "done" };
        if (event.type === "error") return { text, end: `error ${event.error ?? event.code ?? ""}` };
      }
    }
    return { text, end: "broken" };
  } catch {
    return { text, end: "broken" };
  }
}
