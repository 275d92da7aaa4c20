import type { Tensor } from "../../../onnx/onnx-runtime.ts";

type Element = number | string | boolean;

/** JSON form of elements of one type. */
export interface TensorElement {
  /** Type of the tensor for these elements. */
  type: Tensor["type"];
  /** Description for errors: `must have whole numbers …`. */
  means: string;
  fits(element: Element): boolean;
  collect(elements: readonly Element[]): Tensor["data"];
}

/** Returns the JSON form for inputs of an ONNX type; undefined for a type that can't be sent. */
export function elementKindOf(type: string): TensorElement | undefined {
  return Object.hasOwn(kinds, type) ? kinds[type] : undefined;
}

/** Converts the elements of an output to JSON values. */
export function elementsOf({ type, data }: Tensor): Element[] {
  if (type === "bool") return Array.from(data as Uint8Array, (value) => value !== 0);
  return Array.from(data as ArrayLike<number | bigint | string>, (value) => {
    if (typeof value === "bigint") return isExact(value) ? Number(value) : String(value);
    return typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
  });
}

const isExact = (value: bigint) =>
  value <= BigInt(Number.MAX_SAFE_INTEGER) && value >= BigInt(Number.MIN_SAFE_INTEGER);

const float = (type: "float32" | "float64", max: number): TensorElement => ({
  type,
  means: "numbers",
  fits: (element) => typeof element === "number" && Math.abs(element) <= max,
  collect: (elements) =>
    type === "float32" ? Float32Array.from(elements as number[]) : Float64Array.from(elements as number[]),
});

const integer = (min: number, max: number): TensorElement => ({
  type: "int32",
  means: `whole numbers from ${min} to ${max}`,
  fits: (element) => Number.isInteger(element) && Number(element) >= min && Number(element) <= max,
  collect: (elements) => Int32Array.from(elements as number[]),
});

/** Accepts numbers, or strings of digits for values that a number can't represent exactly. */
const longInteger = (min: bigint, max: bigint): TensorElement => ({
  type: "int64",
  means: `whole numbers from ${min} to ${max}`,
  fits(element) {
    if (
      typeof element === "number" ? !Number.isSafeInteger(element) : !/^-?\d{1,20}$/.test(String(element))
    ) {
      return false;
    }
    const value = BigInt(element);
    return value >= min && value <= max;
  },
  collect: (elements) => BigInt64Array.from(elements, (element) => BigInt(element)),
});

const kinds: Readonly<Record<string, TensorElement>> = {
  float32: float("float32", 3.4028234663852886e38),
  float16: float("float32", 65_504),
  float64: float("float64", Number.MAX_VALUE),
  int8: integer(-128, 127),
  uint8: integer(0, 255),
  int16: integer(-32_768, 32_767),
  uint16: integer(0, 65_535),
  int32: integer(-(2 ** 31), 2 ** 31 - 1),
  uint32: longInteger(0n, 2n ** 32n - 1n),
  int64: longInteger(-(2n ** 63n), 2n ** 63n - 1n),
  uint64: longInteger(0n, 2n ** 64n - 1n),
  bool: {
    type: "bool",
    means: "true or false",
    fits: (element) => typeof element === "boolean" || element === 0 || element === 1,
    collect: (elements) => Uint8Array.from(elements, Number),
  },
  string: {
    type: "string",
    means: "texts",
    fits: (element) => typeof element === "string",
    collect: (elements) => elements.map(String),
  },
};
