import { sleep } from "../../../kit/clock.ts";
import { besides, type Drill, type DrillOutcome, ms, promises } from "./drill.ts";
import { type Behaviour, piecesBeforeCut, retryAfterMs, slowPieceMs, wholeAnswer } from "./drill-models.ts";
import {
  ask,
  askForEvents,
  type DrillAnswer,
  type DrillWorld,
  drillAgent,
  loneAgent,
  modelTimeoutMs,
} from "./drill-world.ts";

/** Time that a failover may take beyond the time limit of the model. */
const slackMs = 2_000;

const failover = (limitMs: number) => `the next candidate answers within ${limitMs} ms`;
const once = "the answer counts the tokens of one call";
const twice = "each candidate is called at most once per run";
const history = "the conversation before the fault is kept";
const recovery = "the first run after the fault succeeds";
const clear = (status: number, code: string) => `without a candidate left, the error is ${status} ${code}`;

/** Sets the first server's behaviour during `work`; it answers again afterwards, also if `work` fails. */
async function* withFirst(
  world: DrillWorld,
  behaviour: Behaviour,
  work: () => AsyncGenerator<DrillOutcome>,
): AsyncGenerator<DrillOutcome> {
  world.models.set("first", behaviour);
  try {
    yield* work();
  } finally {
    world.models.set("first", "answers");
  }
}

const isWhole = ({ status, body }: DrillAnswer) => status === 200 && body?.response === wholeAnswer;
const answerText = ({ status, body, tookMs }: DrillAnswer) =>
  `${status}${typeof body?.error === "string" ? ` ${body.error}` : ""} after ${ms(tookMs)}`;

async function* failsOver(
  world: DrillWorld,
  limitMs: number,
  session: string,
  counts: boolean,
): AsyncGenerator<DrillOutcome> {
  const { models } = world;
  const before = models.calls("first") + models.calls("second");
  const answer = yield* besides(world, () => ask(world, drillAgent, session));
  const calls = models.calls("first") + models.calls("second") - before;
  yield {
    promise: failover(limitMs),
    held: isWhole(answer) && answer.tookMs <= limitMs,
    measured: answerText(answer),
  };
  yield { promise: twice, held: calls <= 2, measured: `${calls} calls, 2 candidates` };
  if (!counts) return;
  const { input_tokens: input, output_tokens: output } = answer.body?.usage ?? {};
  yield {
    promise: once,
    held: input === 10 && output === 5,
    measured: `${input} + ${output} of 10 + 5 tokens`,
  };
}

async function* recovers(world: DrillWorld, session: string): AsyncGenerator<DrillOutcome> {
  const again = await ask(world, drillAgent, session);
  yield { promise: recovery, held: isWhole(again), measured: answerText(again) };
  const historyAnswer = await world.call("GET", `/v1/memory/${drillAgent}/history/${session}`);
  const turns: unknown[] = historyAnswer.body?.messages ?? [];
  yield {
    promise: history,
    // Three runs: before, during and after the fault.
    held: historyAnswer.status === 200 && turns.length === 6,
    measured: `${turns.length} of 6 messages`,
  };
}

/** A fault that the first server has before its answer begins. */
const failing = (
  drill: Pick<Drill, "name" | "fault">,
  behaviour: Behaviour,
  { limitMs, counts, code, status, restMs = 0 }: FailureLimits,
): Drill => ({
  ...drill,
  scope: "drill",
  promises: [
    promises.neighbour,
    promises.health,
    failover(limitMs),
    twice,
    ...(counts ? [once] : []),
    clear(status, code),
    recovery,
    history,
  ],
  async *run(world) {
    const session = `drill-${drill.name}`;
    await ask(world, drillAgent, session);
    yield* withFirst(world, behaviour, async function* () {
      yield* failsOver(world, limitMs, session, counts);
      const alone = await ask(world, loneAgent);
      yield {
        promise: clear(status, code),
        held: alone.status === status && alone.body?.error === code,
        measured: answerText(alone),
      };
    });
    await sleep(world.clock, restMs, world.signal);
    yield* recovers(world, session);
  },
});

interface FailureLimits {
  limitMs: number;
  counts: boolean;
  code: string;
  status: number;
  /** Time for which the server asked for no calls. */
  restMs?: number;
}

const opens = "the circuit opens after the configured number of failures and calls stop";
const closes = "the circuit closes by itself after the pause";

const provider5xx: Drill = {
  name: "provider-5xx",
  fault: "A model server answers 500.",
  scope: "drill",
  promises: [
    promises.neighbour,
    promises.health,
    failover(slackMs),
    twice,
    once,
    opens,
    closes,
    recovery,
    history,
  ],
  async *run(world) {
    const { models, circuit, clock, signal } = world;
    const session = "drill-provider-5xx";
    await ask(world, drillAgent, session);
    yield* withFirst(world, "failing", async function* () {
      yield* failsOver(world, slackMs, session, true);
      for (let run = 1; run < circuit.failureThreshold; run++) await ask(world, drillAgent);
      const before = models.calls("first");
      const paused = await ask(world, drillAgent);
      const later = models.calls("first") - before;
      yield {
        promise: opens,
        held: later === 0 && isWhole(paused) && world.circuitOf("first") !== "closed",
        measured: `${circuit.failureThreshold} failures, then ${later} calls, circuit ${world.circuitOf("first")}`,
      };
    });
    await sleep(clock, circuit.cooldownMs + 100, signal);
    yield* recovers(world, session);
    yield {
      promise: closes,
      held: world.circuitOf("first") === "closed",
      measured: `circuit ${world.circuitOf("first")} after ${ms(circuit.cooldownMs)}`,
    };
  },
};

const early = "the first piece arrives before the whole answer exists";
const complete = "a slow answer arrives whole";

const slowStream: Drill = {
  name: "slow-stream",
  fault: `A model server pauses ${slowPieceMs} ms before each piece of its answer.`,
  scope: "drill",
  promises: [promises.neighbour, promises.health, complete, early],
  async *run(world) {
    yield* withFirst(world, "slow", async function* () {
      const streamed = yield* besides(world, () => stream(world));
      yield {
        promise: complete,
        held: textOf(streamed) === wholeAnswer,
        measured: `${textOf(streamed).length} of ${wholeAnswer.length} characters`,
      };
      const tokens = streamed.filter(({ type }) => type === "token");
      yield { promise: early, held: tokens.length > 1, measured: `${tokens.length} pieces` };
    });
  },
};

const honest = "a stream that breaks ends in an error event";
const unrepeated = "no piece of the answer arrives twice";

const cutStream: Drill = {
  name: "cut-stream",
  fault: `A model server closes the connection after ${piecesBeforeCut} pieces of its answer.`,
  scope: "drill",
  promises: [promises.neighbour, promises.health, honest, unrepeated, recovery],
  async *run(world) {
    yield* withFirst(world, "cut", async function* () {
      const events = yield* besides(world, () => stream(world));
      const last = events.at(-1);
      yield {
        promise: honest,
        held: last?.type === "error",
        measured: `last event ${last?.type} ${last?.error ?? ""}`.trim(),
      };
      const text = textOf(events);
      yield {
        promise: unrepeated,
        held: wholeAnswer.startsWith(text),
        measured: `${text.length} characters`,
      };
    });
    const again = await ask(world, drillAgent);
    yield { promise: recovery, held: isWhole(again), measured: answerText(again) };
  },
};

interface Frame {
  type: string;
  content?: string;
  error?: string;
}

async function stream(world: DrillWorld): Promise<Frame[]> {
  const answer = await askForEvents(world, drillAgent);
  return answer.text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)));
}

const textOf = (events: readonly Frame[]) =>
  events.map((event) => (event.type === "token" ? (event.content ?? "") : "")).join("");

export const providerDrills: readonly Drill[] = [
  failing({ name: "provider-timeout", fault: "A model server accepts calls and never answers." }, "silent", {
    limitMs: modelTimeoutMs + slackMs,
    counts: false,
    status: 503,
    code: "no_provider_available",
  }),
  failing({ name: "provider-429", fault: "A model server answers 429 with Retry-After." }, "throttled", {
    limitMs: slackMs,
    counts: true,
    status: 503,
    code: "no_provider_available",
    restMs: retryAfterMs,
  }),
  provider5xx,
  slowStream,
  cutStream,
];
