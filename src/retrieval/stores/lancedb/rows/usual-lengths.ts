import { refused } from "../../stored-row.ts";

/** Within these bounds, squares in single precision neither vanish nor overflow; outside, LanceDB returns wrong distances. */
const squareMin = 1e-12;
const squareMax = 1e12;

/**
 * Scales extremely short or long vectors to length 1: for cosine similarity only the direction matters. Returns the same array if there are
 * none; zeros stay zeros. Throws AppError `invalid_request` for numbers that are not finite.
 */
export function withUsualLengths(vectors: Float32Array, dimension: number): Float32Array {
  let result = vectors;
  for (let start = 0; start < vectors.length; start += dimension) {
    const square = squareOf(vectors, start, start + dimension);
    if (square > squareMin && square < squareMax) continue;
    if (square === 0) continue;
    if (!Number.isFinite(square)) throw refused("A vector holds something that is not a finite number.");
    if (result === vectors) result = vectors.slice();
    const length = Math.sqrt(square);
    for (let at = start; at < start + dimension; at++) result[at] = (vectors[at] as number) / length;
  }
  return result;
}

/** Four independent sums, which a processor adds in parallel. */
function squareOf(vectors: Float32Array, start: number, end: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let at = start;
  for (; at + 3 < end; at += 4) {
    const w = vectors[at] as number;
    const x = vectors[at + 1] as number;
    const y = vectors[at + 2] as number;
    const z = vectors[at + 3] as number;
    a += w * w;
    b += x * x;
    c += y * y;
    d += z * z;
  }
  for (; at < end; at++) a += (vectors[at] as number) ** 2;
  return a + b + c + d;
}
