import { describe, expect, test } from "bun:test";
import type { CallEnding } from "../../../src/engine/models/breakers.ts";
import {
  type CallEnd,
  type CallFailure,
  type FailureSign,
  judgeCall,
  teachesLatency,
} from "../../../src/engine/models/judge-call.ts";

const plain = { hasStops: false, hasLimits: false };
const stops = { hasStops: true, hasLimits: false };
const limits = { hasStops: false, hasLimits: true };
const status = (code: number): FailureSign => ({ sign: "status", status: code });
const silence = (seconds: number, limitBy: "operator" | "caller"): FailureSign => ({
  sign: "silence",
  forMs: seconds * 1000,
  limitBy,
});

type Row = [
  name: string,
  failure: CallFailure | undefined,
  sign: FailureSign | undefined,
  bounds: typeof plain,
  ending: CallEnding,
];

describe("a call's end", () => {
  const table: Row[] = [
    ["an answer", undefined, undefined, plain, "succeeded"],
    ["the caller left, or its deadline passed", "cancelled", undefined, plain, "released"],
    ["a fault of ours", "internal", undefined, plain, "released"],
    ["400: a parameter or a tool's schema", "caller", status(400), plain, "released"],
    ["413: a conversation too large", "context_length", status(413), plain, "released"],
    ["422: an output schema", "caller", status(422), plain, "released"],
    ["a conversation longer than the model reads", "context_length", status(400), plain, "released"],
    ["a refused content", "content_refused", status(403), plain, "released"],
    ["a model's name that the server lacks", "unsuited", status(404), plain, "released"],
    ["nobody listens", "unreachable", { sign: "no_connection" }, plain, "failed"],
    ["a failure without evidence", "unreachable", undefined, plain, "failed"],
    ["401: the key", "auth", status(401), plain, "failed"],
    ["302: another address", "auth", status(302), plain, "failed"],
    ["402: no credit, or too dear an answer", "auth", status(402), plain, "doubtful"],
    ["403: the key, or a model closed to it", "auth", status(403), plain, "doubtful"],
    ["404: the address, or a model's name", "auth", status(404), plain, "doubtful"],
    ["429: a burst", "unreachable", status(429), plain, "released"],
    ["a limit of calls told in words", "unreachable", { sign: "throttled" }, plain, "released"],
    ["499: given up", "unreachable", status(499), plain, "released"],
    ["500", "unreachable", status(500), plain, "doubtful"],
    ["503", "unreachable", status(503), plain, "doubtful"],
    ["504: a gateway that waited for a long answer", "unreachable", status(504), plain, "doubtful"],
    ["529", "unreachable", status(529), plain, "doubtful"],
    ["the operator's limit of 1 s", "unreachable", silence(1, "operator"), plain, "doubtful"],
    ["a caller's limit of 1 s", "unreachable", silence(1, "caller"), plain, "released"],
    ["a caller's limit of 119 s", "unreachable", silence(119, "caller"), plain, "released"],
    ["a caller who waited long", "unreachable", silence(120, "caller"), plain, "doubtful"],
    ["an empty answer", "unusable", { sign: "empty", spoke: false }, plain, "doubtful"],
    ["an empty answer with stop texts", "unusable", { sign: "empty", spoke: false }, stops, "released"],
    ["an empty answer under a limit", "unusable", { sign: "empty", spoke: false }, limits, "released"],
    ["thoughts without an answer", "unusable", { sign: "empty", spoke: true }, plain, "released"],
    ["an answer without an end", "unusable", { sign: "overlong" }, plain, "released"],
    ["a connection that broke", "unusable", { sign: "dropped" }, plain, "doubtful"],
    ["no JSON", "unusable", { sign: "garbled" }, plain, "doubtful"],
    ["stop texts excuse no closed port", "unreachable", { sign: "no_connection" }, stops, "failed"],
  ];
  test.each(table)("%s", (_, failure, sign, bounds, ending) => {
    expect(judgeCall({ failure, sign, ...bounds })).toBe(ending);
  });
});

test("an answer in one piece that its caller bounded teaches no latency", () => {
  const ends: [end: CallEnd, isStreamed: boolean, teaches: boolean][] = [
    [{ failure: undefined, ...plain }, false, true],
    [{ failure: undefined, ...limits }, true, true],
    [{ failure: undefined, ...limits }, false, false],
    [{ failure: undefined, ...stops }, false, false],
    [{ failure: "unreachable", ...plain }, true, false],
  ];
  for (const [end, isStreamed, teaches] of ends) expect(teachesLatency(end, isStreamed)).toBe(teaches);
});
