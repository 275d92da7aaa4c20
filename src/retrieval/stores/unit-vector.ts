/**
 * The vector scaled to length 1, so that a product of two is their cosine whatever lengths they had; zeros stay zeros.
 * Undefined when a number in it is none.
 */
export function unitVector(vector: Float32Array): Float32Array | undefined {
  // 64 bits: squares of the largest 32-bit numbers still fit.
  let squares = 0;
  for (const part of vector) squares += part * part;
  if (!Number.isFinite(squares)) return undefined;
  if (squares === 0) return vector.slice();
  const length = Math.sqrt(squares);
  return vector.map((part) => part / length);
}

/** The product of two vectors of the same length. */
export function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

/** A similarity as callers see it: 0 to 1, and 0 where there is none to speak of. */
export const scoreOf = (cosine: number): number => (cosine > 0 ? Math.min(cosine, 1) : 0);
