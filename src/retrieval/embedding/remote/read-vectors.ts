import { unusable, type VendorSubject } from "../../vendor/vendor-failure.ts";

const dimensionMax = 65_536;

/**
 * The vectors of an answer, normalized to length 1. Throws `embedder_failed` unless there is one per text, all have the same length, and
 * all numbers are finite.
 */
export function readVectors(
  subject: VendorSubject,
  values: readonly unknown[],
  count: number,
): Float32Array[] {
  if (values.length !== count) {
    throw unusable(subject, `answered with ${values.length} vectors for ${count} texts`);
  }
  const vectors = values.map((value) => normalized(subject, numbersOf(subject, value)));
  const [first] = vectors;
  const other = vectors.find(({ length }) => length !== first?.length);
  if (other)
    throw unusable(subject, `answered with vectors of ${first?.length} and of ${other.length} numbers`);
  return vectors;
}

type Numbers = Float32Array | readonly number[];

function numbersOf(subject: VendorSubject, value: unknown): Numbers {
  const numbers = typeof value === "string" ? fromBase64(value) : value;
  const isVector = numbers instanceof Float32Array || Array.isArray(numbers);
  if (!isVector || numbers.length === 0 || numbers.length > dimensionMax) {
    throw unusable(subject, "answered with something that is not a vector");
  }
  return numbers;
}

/** Decodes little-endian 32-bit floats; undefined if the length is not a multiple of four bytes. */
function fromBase64(text: string): Float32Array | undefined {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length % 4 !== 0) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => view.getFloat32(at * 4, true));
}

function normalized(subject: VendorSubject, numbers: Numbers): Float32Array {
  let squares = 0;
  for (const number of numbers) squares += typeof number === "number" ? number * number : Number.NaN;
  if (!Number.isFinite(squares)) {
    throw unusable(subject, "answered with a vector that holds something else than finite numbers");
  }
  const length = Math.sqrt(squares);
  const vector = new Float32Array(numbers.length);
  if (length === 0) return vector;
  for (let at = 0; at < vector.length; at++) vector[at] = (numbers[at] as number) / length;
  return vector;
}
