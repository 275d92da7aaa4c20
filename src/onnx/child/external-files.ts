/*
 * Weights may be in files beside a model (required for models above 2 GiB). The model names them in protocol buffers of ModelProto
 * (onnx.proto3). A field is its number and wire type, then a number in LEB128 (0), eight bytes (1), a length and bytes (2) or four bytes
 * (5).
 */

/** Messages that lead to a tensor, by field number. */
type Level = Readonly<Record<number, () => Level | "tensor">>;
const attributeLevel: Level = {
  5: () => "tensor",
  6: () => graphLevel,
  10: () => "tensor",
  11: () => graphLevel,
};
const nodeLevel: Level = { 5: () => attributeLevel };
const graphLevel: Level = { 1: () => nodeLevel, 5: () => "tensor" };
const functionLevel: Level = { 7: () => nodeLevel };
const modelLevel: Level = { 7: () => graphLevel, 25: () => functionLevel };

const EXTERNAL_DATA = 13;
const ENTRY_KEY = 1;
const ENTRY_VALUE = 2;
/** Maximum nesting of graphs, far above that of real models. */
const depthMax = 64;

/** Names of the files with a model's weights; empty for a file that is not a model. */
export function externalFiles(model: Uint8Array): Set<string> {
  const files = new Set<string>();
  visit(model, modelLevel, 0);
  return files;

  function visit(bytes: Uint8Array, level: Level, depth: number): void {
    if (depth > depthMax) return;
    for (const { field, body } of messages(bytes)) {
      const next = level[field]?.();
      if (next === "tensor") addLocation(body);
      else if (next !== undefined) visit(body, next, depth + 1);
    }
  }

  function addLocation(tensor: Uint8Array): void {
    for (const { field, body } of messages(tensor)) {
      if (field !== EXTERNAL_DATA) continue;
      const entry = new Map([...messages(body)].map(({ field: key, body: value }) => [key, text(value)]));
      const location = entry.get(ENTRY_VALUE);
      if (entry.get(ENTRY_KEY) === "location" && location !== undefined) files.add(location);
    }
  }
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Fields of a message that are messages, texts or bytes; stops at invalid data. */
function* messages(bytes: Uint8Array): Generator<{ field: number; body: Uint8Array }> {
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      if (byte === undefined) return Number.NaN;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      if (scale > 2 ** 63) return Number.NaN;
    }
  };
  while (at < bytes.length) {
    const tag = number();
    const wire = tag % 8;
    if (wire === 0) number();
    else if (wire === 1) at += 8;
    else if (wire === 5) at += 4;
    else if (wire === 2) {
      const length = number();
      if (!(at + length <= bytes.length)) return;
      yield { field: Math.floor(tag / 8), body: bytes.subarray(at, at + length) };
      at += length;
    } else return;
  }
}
