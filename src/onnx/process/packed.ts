const kinds = { Float32Array, Float64Array, Int32Array, Uint8Array, BigInt64Array };

type Kind = keyof typeof kinds;

interface Packed {
  packed: Kind;
  base64: string;
}

/** Converts data with typed arrays to plain data for JSON. */
export function packed(value: unknown): unknown {
  return mapped(value, (item) => (ArrayBuffer.isView(item) ? packArray(item) : undefined));
}

/** Reverses `packed`. */
export function unpacked(value: unknown): unknown {
  return mapped(value, (item) => (isPacked(item) ? unpackArray(item) : undefined));
}

function mapped(value: unknown, replace: (item: object) => unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const replaced = replace(value);
  if (replaced !== undefined) return replaced;
  if (Array.isArray(value)) return value.map((item) => mapped(item, replace));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapped(item, replace)]));
}

function packArray(array: ArrayBufferView): Packed {
  const { name } = array.constructor;
  if (!isKind(name)) throw new TypeError(`${name} can't be packed`);
  const bytes = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  return { packed: name, base64: bytes.toString("base64") };
}

function unpackArray({ packed: kind, base64 }: Packed): InstanceType<(typeof kinds)[Kind]> {
  return new kinds[kind](new Uint8Array(Buffer.from(base64, "base64")).buffer);
}

function isPacked(value: object): value is Packed {
  return (
    "packed" in value &&
    "base64" in value &&
    typeof value.base64 === "string" &&
    typeof value.packed === "string" &&
    isKind(value.packed)
  );
}

const isKind = (name: string): name is Kind => Object.hasOwn(kinds, name);
