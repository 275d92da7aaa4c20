import { gunzipSync } from "node:zlib";

/** One span as an OpenTelemetry collector reads it. */
export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number;
  startNanos: bigint;
  endNanos: bigint;
  attributes: Record<string, unknown>;
  statusCode: number;
  statusMessage: string;
  resource: Record<string, unknown>;
}

export interface OtlpCollector extends AsyncDisposable {
  endpoint: string;
  spans: CollectedSpan[];
  requests: { path: string; headers: Headers }[];
  /** Its next answers. */
  answer: { status: number };
  /** Resolves when that many spans have arrived. */
  collected(count: number): Promise<CollectedSpan[]>;
}

/** Starts a collector on loopback that decodes requests by the protocol's own definition (opentelemetry-proto, trace.proto). */
export function startOtlpCollector(): OtlpCollector {
  const spans: CollectedSpan[] = [];
  const requests: OtlpCollector["requests"] = [];
  const answer = { status: 200 };
  let look = () => {};
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const bytes = new Uint8Array(await request.arrayBuffer());
      requests.push({ path: new URL(request.url).pathname, headers: request.headers });
      if (answer.status !== 200) return new Response("", { status: answer.status });
      const body = request.headers.get("content-encoding") === "gzip" ? gunzipSync(bytes) : bytes;
      spans.push(...decodeExport(body));
      look();
      return new Response(new Uint8Array(), { headers: { "content-type": "application/x-protobuf" } });
    },
  });
  return {
    endpoint: `http://127.0.0.1:${server.port}/v1/traces`,
    spans,
    requests,
    answer,
    collected: (count) =>
      new Promise((resolve) => {
        look = () => {
          if (spans.length >= count) resolve(spans);
        };
        look();
      }),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** A message's fields by number, each with all its values: numbers, or bytes. */
type Fields = Map<number, (bigint | Uint8Array)[]>;

function decodeExport(bytes: Uint8Array): CollectedSpan[] {
  return messages(fieldsOf(bytes), 1).flatMap((resourceSpans) => {
    const resource = attributesOf(messages(resourceSpans, 1)[0] ?? new Map(), 1);
    return messages(resourceSpans, 2).flatMap((scopeSpans) =>
      messages(scopeSpans, 2).map((span) => decodeSpan(span, resource)),
    );
  });
}

function decodeSpan(span: Fields, resource: Record<string, unknown>): CollectedSpan {
  const hex = (field: number) => Buffer.from(bytesAt(span, field)).toString("hex");
  return {
    traceId: hex(1),
    spanId: hex(2),
    parentSpanId: hex(4),
    name: textAt(span, 5),
    kind: Number(numberAt(span, 6)),
    startNanos: numberAt(span, 7),
    endNanos: numberAt(span, 8),
    attributes: attributesOf(span, 9),
    statusMessage: textAt(messages(span, 15)[0] ?? new Map(), 2),
    statusCode: Number(numberAt(messages(span, 15)[0] ?? new Map(), 3)),
    resource,
  };
}

function attributesOf(message: Fields, field: number): Record<string, unknown> {
  return Object.fromEntries(
    messages(message, field).map((entry) => [textAt(entry, 1), anyValue(messages(entry, 2)[0] ?? new Map())]),
  );
}

/** AnyValue: a text, a boolean, an integer, a double or a list. */
function anyValue(value: Fields): unknown {
  if (value.has(1)) return textAt(value, 1);
  if (value.has(2)) return numberAt(value, 2) === 1n;
  if (value.has(3)) return Number(BigInt.asIntN(64, numberAt(value, 3)));
  if (value.has(4)) return new Float64Array(new BigUint64Array([numberAt(value, 4)]).buffer)[0];
  if (value.has(5)) return messages(messages(value, 5)[0] ?? new Map(), 1).map(anyValue);
  return undefined;
}

function messages(message: Fields, field: number): Fields[] {
  return (message.get(field) ?? []).flatMap((value) => (typeof value === "bigint" ? [] : [fieldsOf(value)]));
}

function bytesAt(message: Fields, field: number): Uint8Array {
  const value = message.get(field)?.[0];
  return value instanceof Uint8Array ? value : new Uint8Array();
}

function textAt(message: Fields, field: number): string {
  return new TextDecoder().decode(bytesAt(message, field));
}

function numberAt(message: Fields, field: number): bigint {
  const value = message.get(field)?.[0];
  return typeof value === "bigint" ? value : 0n;
}

/** Parses Protocol Buffers' wire format: a key of field number and type, then the value. */
function fieldsOf(bytes: Uint8Array): Fields {
  const fields: Fields = new Map();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const varint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = view.getUint8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const slice = (length: number) => {
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const key = Number(varint());
    const readers: Record<number, () => bigint | Uint8Array> = {
      0: varint,
      1: () => little(slice(8)),
      2: () => slice(Number(varint())),
      5: () => little(slice(4)),
    };
    const read = readers[key & 7];
    if (read === undefined) throw new Error(`wire type ${key & 7}`);
    fields.set(key >> 3, [...(fields.get(key >> 3) ?? []), read()]);
  }
  return fields;
}

function little(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n);
}
