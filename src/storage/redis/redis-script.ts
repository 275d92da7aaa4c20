/** A script that the server runs atomically; the server identifies it by `sha1`. */
export interface RedisScript {
  source: string;
  sha1: string;
}

export function redisScript(source: string): RedisScript {
  return { source, sha1: new Bun.CryptoHasher("sha1").update(source).digest("hex") };
}
