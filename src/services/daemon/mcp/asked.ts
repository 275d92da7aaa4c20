import { createHash } from "node:crypto";
import type { Call } from "../../../http/call.ts";

/** A request as the routes receive it. */
export interface Asked {
  request: Request;
  call: Call;
}

/** Digest of the peer and its credentials. Sessions and tasks are for requests with the same ones. */
export function clientOf({ request, call }: Asked): string {
  const credentials = request.headers.get("authorization") ?? "";
  return createHash("sha256").update(`${call.peer} ${credentials}`).digest("base64url");
}
