import type { Tensor, TensorSlot } from "../onnx-runtime.ts";
import type { Engine, EngineTensor } from "./engine.ts";
import type { Loaded } from "./loaded-models.ts";
import { ModelFault, reasonOf } from "./model-fault.ts";

/** Runs one forward pass with our tensors. Throws ModelFault. */
export async function runModel(
  engine: Engine,
  model: Loaded,
  feeds: Readonly<Record<string, Tensor>>,
): Promise<Record<string, Tensor>> {
  const given = Object.entries(feeds).map(([name, tensor]): [string, EngineTensor] => {
    const slot = model.inputs.find((input) => input.name === name);
    if (slot === undefined) throw new ModelFault("onnx_failed", `has no input named ${name}`);
    return [name, toEngine(engine, slot, tensor)];
  });
  const outputs = await runSession(model, Object.fromEntries(given));
  checkSize(outputs);
  return Object.fromEntries(
    Object.entries(outputs).map(([name, tensor]) => [name, fromEngine(name, tensor)]),
  );
}

/** Runs one forward pass with the engine's tensors. Throws ModelFault. */
export async function runSession(
  { session, inputs }: Loaded,
  feeds: Readonly<Record<string, EngineTensor>>,
): Promise<Record<string, EngineTensor>> {
  const missing = inputs.find(({ name }) => !Object.hasOwn(feeds, name));
  if (missing) throw new ModelFault("onnx_failed", `needs the input ${missing.name}`);
  try {
    return { ...(await session.run(feeds)) } as Record<string, EngineTensor>;
  } catch (thrown) {
    throw new ModelFault("onnx_failed", `failed: ${reasonOf(thrown)}`);
  }
}

/** Maximum output of a call, which bounds the time for sending it. */
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/** Our types for ONNX element types: small integers are sent as `int32`, halves as `float32`, unsigned ones as `int64`. */
const narrower: Readonly<Record<string, Tensor["type"]>> = {
  float16: "float32",
  int8: "int32",
  uint8: "int32",
  int16: "int32",
  uint16: "int32",
  uint32: "int64",
  uint64: "int64",
};

/** Our tensor type for a slot; undefined for unsupported ones (sequences, maps). */
export function ownType(type: string): Tensor["type"] | undefined {
  return narrower[type] ?? ownTypes.find((own) => own === type);
}

const ownTypes: readonly Tensor["type"][] = ["float32", "int64", "int32", "bool", "float64", "string"];

/** Converts a tensor for the engine's slot. Throws ModelFault if the type does not match. */
export function toEngine(engine: Engine, slot: TensorSlot, { type, shape, data }: Tensor): EngineTensor {
  if (ownType(slot.type) !== type) {
    throw new ModelFault("onnx_failed", `takes ${slot.type} for ${slot.name}, not ${type}`);
  }
  const elements = slot.type === type ? data : narrowed(slot.type, data);
  // The library's overloads pair each type with its array; the pairs were checked above.
  return new engine.Tensor(slot.type as "float32", elements as Float32Array, shape);
}

/** Converts a tensor of the engine. Throws ModelFault for an unsupported element type. */
export function fromEngine(name: string, { type, dims, data }: EngineTensor): Tensor {
  const own = ownType(type);
  if (own === undefined)
    throw new ModelFault("onnx_failed", `gives ${type} in ${name}, which can't be shown`);
  const elements = own === type ? data : widened(own, data as ArrayLike<number | bigint>);
  return { type: own, shape: [...dims], data: elements as Tensor["data"] };
}

/** Throws ModelFault if the outputs are too large to be sent. */
export function checkSize(outputs: Readonly<Record<string, EngineTensor>>): void {
  const bytes = Object.values(outputs).reduce(
    (sum, { size, type }) => sum + size * (type.endsWith("64") ? 8 : 4),
    0,
  );
  if (bytes > OUTPUT_BYTES_MAX) {
    throw new ModelFault("onnx_failed", `gave more than ${OUTPUT_BYTES_MAX / 2 ** 20} MiB at once`);
  }
}

type Numbers = Iterable<number> & ArrayLike<number>;

function narrowed(type: string, data: Tensor["data"]): unknown {
  switch (type) {
    case "float16":
      return Float16Array.from(data as Numbers);
    case "int8":
      return Int8Array.from(data as Numbers);
    case "uint8":
      return Uint8Array.from(data as Numbers);
    case "int16":
      return Int16Array.from(data as Numbers);
    case "uint16":
      return Uint16Array.from(data as Numbers);
    case "uint32":
      return Uint32Array.from(data as BigInt64Array, Number);
    default:
      return BigUint64Array.from(data as BigInt64Array);
  }
}

function widened(own: Tensor["type"], data: ArrayLike<number | bigint>): Tensor["data"] {
  if (own === "float32") return Float32Array.from(data as Numbers);
  if (own === "int32") return Int32Array.from(data as Numbers);
  return BigInt64Array.from(Array.from(data, BigInt));
}
