import {
  type CassetteOutcome,
  type CassetteSummary,
  cassetteVersion,
  type RequestKind,
} from "../../../contracts/daemon/cassettes/cassette-file.ts";
import { AppError } from "../../../kit/app-error.ts";
import { isStop, recordError } from "../../run-state/recorded-error.ts";
import type { EngineRequest } from "../../run-state/run-request.ts";
import { CassetteSecrets } from "../cassette-secrets.ts";
import { comparedPart, requestKey } from "../request-key.ts";
import { learnSecrets, namesIn } from "./learn-secrets.ts";
import { maskAnswer, maskEvents } from "./mask-recording.ts";
import { recordAgent } from "./record-agent.ts";
import type { Recording } from "./recorder.ts";

/** A recording as the text of a file, without secrets. */
export interface RenderedCassette {
  summary: CassetteSummary;
  text: string;
}

export interface RenderOptions {
  /** Masks the secrets that the process knows. */
  maskKnown: (text: string) => string;
  /** Maximum size of the file. */
  bytesMax: number;
}

const queryShownMax = 200;

/** Turns a recording into the cassette that is kept. Throws AppError `cassette_too_large` if it has more than `bytesMax` bytes. */
export function renderCassette(
  recording: Recording,
  { maskKnown, bytesMax }: RenderOptions,
): RenderedCassette {
  const secrets = new CassetteSecrets(maskKnown, namesIn(recording));
  learnSecrets(recording, secrets);
  const lines = new BoundedLines(bytesMax);
  const agents = recording.agents.map((agent): [string, unknown] => {
    const { manifest, models, tools } = recordAgent(agent);
    return [
      agent.name,
      { manifest: secrets.mask(manifest, "declared"), models, tools: secrets.mask(tools, "declared") },
    ];
  });
  lines.add(`"agents":${JSON.stringify(Object.fromEntries(agents))},`);
  lines.add(`"request":${JSON.stringify(maskRequest(recording.request, secrets))},`);
  lines.addList("entries", entriesOf(recording, secrets));
  const events = maskEvents(recording.events, secrets);
  lines.addList("events", events);
  const outcome = secrets.mask(outcomeOf(recording.ending)) as CassetteOutcome;
  lines.add(`"outcome":${JSON.stringify(outcome)}}\n`);
  const summary = summaryOf(recording, secrets, { events: events.length, outcome });
  const head = JSON.stringify({ version: cassetteVersion, argosy: recording.argosy, summary });
  return { summary, text: `${head.slice(0, -1)},\n${lines.text}` };
}

function* entriesOf({ noted }: Recording, secrets: CassetteSecrets): Generator<unknown> {
  let moments = noted.reduce((last, { began, ended = began }) => Math.max(last, ended), 0);
  for (const [index, entry] of noted.entries()) {
    const { kind, by } = entry;
    const request = maskAsked(kind, entry.request, secrets);
    yield {
      seq: index + 1,
      kind,
      by,
      key: requestKey(kind, by, comparedPart(kind, request)),
      request,
      answer: maskAnswer(entry, secrets),
      ...(entry.stopped === undefined ? {} : { stopped: secrets.mask(entry.stopped) }),
      ...(entry.last === undefined ? {} : { last: secrets.mask(entry.last) }),
      began: entry.began,
      ended: entry.ended ?? ++moments,
      after_events: entry.afterEvents,
    };
  }
}

function maskAsked(kind: RequestKind, request: unknown, secrets: CassetteSecrets): unknown {
  if (kind !== "model") return secrets.mask(request);
  const { messages, tools, ...rest } = request as { messages: readonly object[]; tools: readonly object[] };
  return {
    messages: messages.map((message) => secrets.maskShared(message)),
    tools: secrets.maskShared(tools, "declared"),
    ...(secrets.mask(rest, "declared") as object),
  };
}

function maskRequest(
  { query, sessionId, context, history, limits, parameters, override, toolStubs, stream }: EngineRequest,
  secrets: CassetteSecrets,
): unknown {
  return {
    query: secrets.maskText(query),
    session_id: secrets.maskText(sessionId),
    context: secrets.mask(context),
    ...(history === undefined ? {} : { history: secrets.mask(history) }),
    ...(limits === undefined ? {} : { limits }),
    ...(parameters === undefined ? {} : { parameters: secrets.mask(parameters) }),
    ...(override === undefined ? {} : { override: secrets.mask(override) }),
    ...(toolStubs === undefined ? {} : { tool_stubs: secrets.mask(toolStubs) }),
    stream,
  };
}

function outcomeOf(ending: Recording["ending"]): unknown {
  if (ending === "left") return { left: true };
  return "result" in ending ? { result: ending.result } : { error: recordError(ending.thrown) };
}

function summaryOf(
  { agents: [agent], recordedAt, request, noted }: Recording,
  secrets: CassetteSecrets,
  { events, outcome }: { events: number; outcome: CassetteOutcome },
): CassetteSummary {
  const countOf = (wanted: RequestKind) => noted.filter(({ kind }) => kind === wanted).length;
  const query = secrets.maskText(request.query);
  const id = noted.find(({ kind }) => kind === "id")?.answer as { value?: string } | undefined;
  return {
    id: id?.value ?? "",
    agent: agent?.name ?? "",
    recorded_at: recordedAt.toISOString(),
    session_id: secrets.maskText(request.sessionId),
    query: query.length > queryShownMax ? `${query.slice(0, queryShownMax).toWellFormed()}…` : query,
    status: statusOf(outcome),
    ...("error" in outcome ? { error: outcome.error.code } : {}),
    model_calls: countOf("model"),
    tool_calls: countOf("tool") + countOf("worker"),
    events,
    redactions: secrets.maskedCount,
  };
}

function statusOf(outcome: CassetteOutcome): CassetteSummary["status"] {
  if ("left" in outcome) return "stopped";
  if ("result" in outcome) return "ok";
  return isStop(outcome.error) ? "stopped" : "failed";
}

/** Lines of text with a limit on their total size. */
class BoundedLines {
  readonly #bytesMax: number;
  readonly #lines: string[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get text(): string {
    return this.#lines.join("\n");
  }

  add(line: string): void {
    this.#bytes += Buffer.byteLength(line) + 1;
    if (this.#bytes > this.#bytesMax) {
      throw new AppError(
        "too_large",
        "cassette_too_large",
        `The recording has more than ${Math.floor(this.#bytesMax / 1024 / 1024)} MiB.`,
      );
    }
    this.#lines.push(line);
  }

  addList(name: string, items: Iterable<unknown>): void {
    this.add(`"${name}":[`);
    let waiting: string | undefined;
    for (const item of items) {
      if (waiting !== undefined) this.add(`${waiting},`);
      waiting = JSON.stringify(item);
    }
    if (waiting !== undefined) this.add(waiting);
    this.add("],");
  }
}
