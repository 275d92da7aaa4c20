import type { Pooling } from "../text-model.ts";

/** Vectors of one text's tokens: `length` rows of `width` numbers from `offset` on, followed by padding. */
export interface TokenVectors {
  data: Float32Array;
  offset: number;
  length: number;
  width: number;
}

/** One vector per way of pooling, concatenated; zeros for a text without tokens. */
export function pool(tokens: TokenVectors, ways: readonly Pooling[]): Float32Array {
  const pooled = new Float32Array(tokens.width * ways.length);
  if (tokens.length === 0) return pooled;
  for (const [index, way] of ways.entries()) pooled.set(poolings[way](tokens), index * tokens.width);
  return pooled;
}

const poolings: Record<Pooling, (tokens: TokenVectors) => Float32Array> = {
  cls: (tokens) => row(tokens, 0),
  last: (tokens) => row(tokens, tokens.length - 1),
  max(tokens) {
    const most = row(tokens, 0).slice();
    for (let at = 1; at < tokens.length; at++) {
      const next = row(tokens, at);
      for (let i = 0; i < most.length; i++) most[i] = Math.max(most[i] ?? 0, next[i] ?? 0);
    }
    return most;
  },
  mean: (tokens) => weighted(tokens, () => 1, tokens.length),
  mean_sqrt_len: (tokens) => weighted(tokens, () => 1, Math.sqrt(tokens.length)),
  weighted_mean: (tokens) => weighted(tokens, (at) => at + 1, (tokens.length * (tokens.length + 1)) / 2),
};

function weighted(tokens: TokenVectors, weightAt: (at: number) => number, divisor: number): Float32Array {
  const sums = new Float64Array(tokens.width);
  for (let at = 0; at < tokens.length; at++) {
    const weight = weightAt(at) / divisor;
    const start = tokens.offset + at * tokens.width;
    for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + weight * (tokens.data[start + i] ?? 0);
  }
  return Float32Array.from(sums);
}

function row({ data, offset, width }: TokenVectors, at: number): Float32Array {
  return data.subarray(offset + at * width, offset + (at + 1) * width);
}
