/** FNV-1a over the UTF-16 units from `start` to `end`, mixed so that each bit depends on all of them; unsigned 32 bits. */
export function hashRange(text: string, start: number, end: number, seed = 0): number {
  let hash = (0x811c9dc5 ^ seed) | 0;
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    hash = Math.imul(hash ^ (unit & 0xff), 0x01000193);
    hash = Math.imul(hash ^ (unit >>> 8), 0x01000193);
  }
  return mix(hash);
}

/** The finalizer of murmur3: unsigned 32 bits, each of which depends on all of `value`. */
export function mix(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
