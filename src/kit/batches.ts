/** Splits a list into parts of at most `size` items, in order; databases and servers limit what one call may hold. */
export function* batches<Item>(all: readonly Item[], size: number): Generator<Item[]> {
  for (let from = 0; from < all.length; from += size) yield all.slice(from, from + size);
}
