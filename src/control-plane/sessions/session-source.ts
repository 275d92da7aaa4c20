import type { Call } from "../../http/call.ts";
import { callerAddress } from "../../http/front-door/caller-address.ts";

/** Where a person signed in, as their list of sessions shows it. */
export interface SessionSource {
  /** The `User-Agent` of the request. */
  client: string | null;
  address: string | null;
}

const clientMax = 255;

/** Describes the sender of a sign-in. */
export function sessionSource(call: Call, request: Request): SessionSource {
  const client = request.headers.get("user-agent")?.slice(0, clientMax);
  return { client: client || null, address: callerAddress(call, request) };
}
