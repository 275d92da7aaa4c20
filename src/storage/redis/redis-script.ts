/** A script that the server runs as one step; `sha1` is what it knows the script by. */
export interface RedisScript {
  source: string;
  sha1: string;
}

export function redisScript(source: string): RedisScript {
  return { source, sha1: new Bun.CryptoHasher("sha1").update(source).digest("hex") };
}
