import type { Cassette, CassetteEntry } from "../../../contracts/daemon/cassettes/cassette-file.ts";
import type { CassetteComparison, Divergence } from "../../../contracts/daemon/cassettes/cassettes.ts";
import { describeBy, describeUnmatched } from "../replay/describe-unmatched.ts";
import { RecordedAnswers } from "../replay/recorded-answers.ts";
import { comparedPart, requestKey } from "../request-key.ts";
import { wasConcurrent, wasCutOff } from "./comparable-events.ts";
import { compareEvents } from "./compare-events.ts";
import { firstDifference } from "./first-difference.ts";

/** The first difference between two recorded runs: a request that only one of them made, a different answer, or a different event. */
export function diffCassettes(first: Cassette, second: Cassette): CassetteComparison {
  const a = canonicalIds(first);
  const b = canonicalIds(second);
  const divergence =
    diffRequests(a, b) ??
    compareEvents(a.events, b.events, {
      wasStopped: false,
      commonOnly: false,
      isMasked: a.summary.redactions + b.summary.redactions > 0,
      wasCutOff: wasCutOff(a.entries) || wasCutOff(b.entries),
      isConcurrent: wasConcurrent(a.entries) || wasConcurrent(b.entries),
    }) ??
    diffOutcomes(a, b);
  return {
    identical: divergence === undefined,
    a: first.summary,
    b: second.summary,
    ...(divergence === undefined ? {} : { divergence }),
  };
}

function diffRequests(a: Cassette, b: Cassette): Divergence | undefined {
  const requestDifference = firstDifference(
    { agent: a.summary.agent, ...a.request },
    { agent: b.summary.agent, ...b.request },
  );
  if (requestDifference !== undefined) {
    return {
      at: "request",
      message: `The runs were asked different things: ${requestDifference.path} differs.`,
      difference: requestDifference,
    };
  }
  const answers = new RecordedAnswers(b.entries);
  const numbers = new Map<string, number>();
  for (const entry of a.entries.filter(isAsked).toSorted(bySeq)) {
    const number = (numbers.get(entry.kind) ?? 0) + 1;
    numbers.set(entry.kind, number);
    const divergence = diffEntry(entry, number, answers);
    if (divergence !== undefined) return divergence;
  }
  const [more] = answers.left().filter(isAsked);
  if (more === undefined) return undefined;
  return {
    at: "unasked",
    message: `The second run asked for one more thing: a ${more.kind} call of ${describeBy(more.by)}.`,
    kind: more.kind,
    ...more.by,
    got: more.request,
  };
}

function diffEntry(entry: CassetteEntry, number: number, answers: RecordedAnswers): Divergence | undefined {
  const same = answers.take(entry.kind, entry.key);
  if (same === undefined) {
    const nearest = answers.find(entry.kind, entry.by, () => true);
    if (nearest === undefined) {
      return {
        at: "unasked",
        message: `The second run did not make the first one's ${entry.kind} call ${number}, of ${describeBy(entry.by)}.`,
        kind: entry.kind,
        number,
        ...entry.by,
        expected: entry.request,
      };
    }
    return describeUnmatched({
      kind: entry.kind,
      by: nearest.by,
      number,
      request: comparedPart(nearest.kind, nearest.request),
      nearest: entry,
    });
  }
  const difference = firstDifference(comparableAnswer(entry), comparableAnswer(same));
  if (difference === undefined) return undefined;
  return {
    at: "request",
    message: `To the same request, ${entry.kind} call ${number} of ${describeBy(entry.by)} was answered differently: ${difference.path} differs.`,
    kind: entry.kind,
    number,
    ...entry.by,
    difference,
    expected: entry.answer,
    got: same.answer,
  };
}

/** The answer of a model, independent of how it was split into pieces. */
function comparableAnswer({ kind, answer }: CassetteEntry): unknown {
  if (kind !== "model") return answer;
  const { events, error } = answer;
  return {
    text: events.map((event) => (event.type === "text" ? event.text : "")).join(""),
    calls: events.flatMap((event) => (event.type === "tool_call" ? event.call : [])),
    from: events.flatMap((event) => (event.type === "chosen" ? `${event.provider}/${event.model}` : [])),
    error,
  };
}

function diffOutcomes(a: Cassette, b: Cassette): Divergence | undefined {
  // The result is in the last event, which has already been compared.
  const endings = [a, b].map(({ outcome }) => ("result" in outcome ? { result: true } : outcome));
  const difference = firstDifference(endings[0], endings[1]);
  return (
    difference && {
      at: "outcome",
      message: `The runs ended differently: ${difference.path} differs.`,
      difference,
      expected: a.outcome,
      got: b.outcome,
    }
  );
}

const externalKinds: ReadonlySet<CassetteEntry["kind"]> = new Set([
  "model",
  "tool",
  "worker",
  "memory",
  "recall",
]);

/** The clock, random numbers and ids differ in every run. */
function isAsked({ kind }: CassetteEntry): boolean {
  return externalKinds.has(kind);
}

function bySeq(one: CassetteEntry, other: CassetteEntry): number {
  return one.seq - other.seq;
}

/** A copy of the recording in which session and tool call ids are replaced by their order, so that two recordings can be compared. */
export function canonicalIds(cassette: Cassette): Cassette {
  const names = new Map([[cassette.request.session_id, "session"]]);
  for (const { kind, answer } of cassette.entries.toSorted((a, b) => a.seq - b.seq)) {
    if (kind !== "model") continue;
    for (const event of answer.events) {
      if (event.type === "tool_call" && !names.has(event.call.id)) {
        names.set(event.call.id, `call ${names.size}`);
      }
    }
  }
  const renamed = rename(cassette, names) as Cassette;
  return {
    ...renamed,
    entries: renamed.entries.map((entry) => ({
      ...entry,
      key: requestKey(entry.kind, entry.by, comparedPart(entry.kind, entry.request)),
    })),
  };
}

const idFields = new Set(["id", "callId", "session_id", "sessionId"]);

function rename(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => rename(item, names));
  return Object.fromEntries(
    Object.entries(value).map(([field, item]) => [
      field,
      idFields.has(field) && typeof item === "string" ? (names.get(item) ?? item) : rename(item, names),
    ]),
  );
}
