import type { PostCallback } from "../channels/sending/post-callback.ts";
import type { GuardedNetwork } from "../engine/tools/network/guarded-network.ts";

const timeoutMs = 30_000;
const answerBytesMax = 64 * 1024;

/** Posts to callbacks through the guarded network, without redirects. */
export const createCallbackPost =
  (network: GuardedNetwork): PostCallback =>
  async (url, headers, body) => {
    const answer = await network.request({
      url,
      method: "POST",
      headers,
      body,
      timeoutMs,
      bodyBytesMax: answerBytesMax,
      whenLonger: "cut",
      redirectsMax: 0,
      signal: new AbortController().signal,
    });
    const after = answer.headers.get("retry-after");
    const isSeconds = after !== null && /^\d{1,5}$/.test(after);
    return { status: answer.status, retryAfterMs: isSeconds ? Number(after) * 1000 : undefined };
  };
