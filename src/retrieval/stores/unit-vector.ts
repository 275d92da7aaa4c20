/** The vector scaled to length 1, so that the product of two is their cosine; zeros stay zeros. Undefined if a number is not finite. */
export function unitVector(vector: Float32Array): Float32Array | undefined {
  // 64 bits, so that squares of the largest 32-bit numbers fit.
  let squares = 0;
  for (const part of vector) squares += part * part;
  if (!Number.isFinite(squares)) return undefined;
  if (squares === 0) return vector.slice();
  const length = Math.sqrt(squares);
  return vector.map((part) => part / length);
}

/** The dot product of two vectors of the same length. */
export function dotProduct(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] as number) * (b[at] as number);
  return sum;
}

/** Similarity for callers: 0 to 1; negative cosines and NaN become 0. */
export const scoreOf = (cosine: number): number => (cosine > 0 ? Math.min(cosine, 1) : 0);
