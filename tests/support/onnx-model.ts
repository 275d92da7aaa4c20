/*
 * Writes ONNX models of a few kilobytes, with the features that tests need: protocol buffers of ModelProto (onnx.proto3) by hand, so that
 * each test defines its model and no binary is stored.
 */

const dataTypes = { float32: 1, int32: 6, int64: 7, string: 8, bool: 9, float16: 10, float64: 11 } as const;

export type ElementType = keyof typeof dataTypes;

/** A constant of the model. */
export interface Constant {
  name: string;
  type: ElementType;
  shape: readonly number[];
  data: readonly number[];
  /** Stores the numbers in that file next to the model, from that byte on. */
  external?: { location: string; offset?: number };
}

/** An input or output; a word in the shape is a variable length. */
export interface Slot {
  name: string;
  type: ElementType;
  shape: readonly (number | string)[];
}

export type Attribute = number | readonly number[] | string | { float: number } | Graph | Constant;

export interface Node {
  op: string;
  inputs: readonly string[];
  outputs: readonly string[];
  attributes?: Readonly<Record<string, Attribute>>;
}

export interface Graph {
  inputs: readonly Slot[];
  outputs: readonly Slot[];
  nodes: readonly Node[];
  constants?: readonly Constant[];
}

/** Returns the bytes of a model file. */
export function onnxModel(graph: Graph, { opset = 17, irVersion = 8 } = {}): Uint8Array<ArrayBuffer> {
  return bytes(
    integer(1, irVersion),
    text(2, "tests"),
    message(7, graphProto(graph)),
    message(8, bytes(text(1, ""), integer(2, opset))),
  );
}

/** Returns a constant's numbers as in a file next to the model. */
export function rawData({ type, data }: Pick<Constant, "type" | "data">): Uint8Array<ArrayBuffer> {
  if (type === "float32") return new Uint8Array(Float32Array.from(data).buffer);
  if (type === "float64") return new Uint8Array(Float64Array.from(data).buffer);
  if (type === "int32") return new Uint8Array(Int32Array.from(data).buffer);
  if (type === "int64") return new Uint8Array(BigInt64Array.from(data, BigInt).buffer);
  if (type === "bool") return Uint8Array.from(data);
  throw new Error(`no constants of ${type}`);
}

function graphProto({ nodes, constants = [], inputs, outputs }: Graph): Uint8Array<ArrayBuffer> {
  return bytes(
    ...nodes.map((node) => message(1, nodeProto(node))),
    text(2, "graph"),
    ...constants.map((constant) => message(5, tensorProto(constant))),
    ...inputs.map((slot) => message(11, slotProto(slot))),
    ...outputs.map((slot) => message(12, slotProto(slot))),
  );
}

function nodeProto({ op, inputs, outputs, attributes = {} }: Node): Uint8Array<ArrayBuffer> {
  return bytes(
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, op),
    ...Object.entries(attributes).map(([name, value]) => message(5, attributeProto(name, value))),
  );
}

function attributeProto(name: string, value: Attribute): Uint8Array<ArrayBuffer> {
  const named = text(1, name);
  if (typeof value === "number") return bytes(named, integer(3, value), integer(20, 2));
  if (typeof value === "string") return bytes(named, text(4, value), integer(20, 3));
  if (isList(value)) return bytes(named, ...value.map((item) => integer(8, item)), integer(20, 7));
  if ("float" in value) {
    return bytes(
      named,
      Uint8Array.of((2 << 3) | 5),
      rawData({ type: "float32", data: [value.float] }),
      integer(20, 1),
    );
  }
  if ("nodes" in value) return bytes(named, message(6, graphProto(value)), integer(20, 5));
  return bytes(named, message(5, tensorProto(value)), integer(20, 4));
}

const isList = (value: Attribute): value is readonly number[] => Array.isArray(value);

function tensorProto(constant: Constant): Uint8Array<ArrayBuffer> {
  const { name, type, shape, external } = constant;
  const raw = rawData(constant);
  const entry = (key: string, value: string | number) =>
    message(13, bytes(text(1, key), text(2, String(value))));
  return bytes(
    ...shape.map((length) => integer(1, length)),
    integer(2, dataTypes[type]),
    text(8, name),
    ...(external
      ? [
          entry("location", external.location),
          entry("offset", external.offset ?? 0),
          entry("length", raw.length),
          integer(14, 1),
        ]
      : [message(9, raw)]),
  );
}

function slotProto({ name, type, shape }: Slot): Uint8Array<ArrayBuffer> {
  const dimensions = shape.map((length) =>
    message(1, typeof length === "number" ? integer(1, length) : text(2, length)),
  );
  const tensor = bytes(integer(1, dataTypes[type]), message(2, bytes(...dimensions)));
  return bytes(text(1, name), message(2, message(1, tensor)));
}

// Protocol buffers: a field is its number and wire type, then a number in LEB128 (0) or a length and bytes (2).

function integer(field: number, value: number): Uint8Array<ArrayBuffer> {
  return bytes(varint(field << 3), varint(value));
}

function message(field: number, body: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes(varint((field << 3) | 2), varint(body.length), body);
}

const text = (field: number, value: string) => message(field, new TextEncoder().encode(value));

function varint(value: number): Uint8Array<ArrayBuffer> {
  const out: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    out.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return Uint8Array.from(out);
}

function bytes(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat(parts));
}
