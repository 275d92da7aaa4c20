/** The trace that a request belongs to, and the span that sent it, in the header `traceparent` of W3C Trace Context. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
}

/** `traceparent` as text; any version but `ff` begins like version 00. */
export const traceParentPattern =
  "^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$";
const form = new RegExp(traceParentPattern);

/** Reads a `traceparent`. Returns undefined for an absent or malformed one, which callers must ignore. */
export function readTraceParent(text: string | null | undefined): TraceParent | undefined {
  if (text === null || text === undefined || !form.test(text)) return undefined;
  const [, traceId = "", spanId = ""] = text.split("-");
  return { traceId, spanId };
}

/** Id of the trace that begins with a record: the digits of the record's own UUID. */
export const traceIdOf = (recordId: string): string => recordId.replaceAll("-", "");

/** `traceparent` of a request that work on a record sends. Without `traceId`, the trace begins with the record. */
export function traceParentOf(recordId: string, traceId: string = traceIdOf(recordId)): string {
  return `00-${traceId}-${traceIdOf(recordId).slice(-16)}-01`;
}
