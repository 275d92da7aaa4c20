import { type CloudClient, cloudClient } from "../../../contracts/cloud/client.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ConsoleDeps } from "../deps.ts";
import { forwardingHeaders, originOf, passClient } from "../forward/handed-on.ts";
import { targetsBy } from "../targets.ts";
import type { Received } from "./platform-door.ts";

/**
 * Client of the cloud in this process, acting for the sender of `received`. The cloud gets their host name and address, because its
 * development login is for callers on this machine.
 */
export function cloudFor(
  { targets }: Pick<ConsoleDeps, "targets">,
  { request, origin }: Received,
  accessToken?: string,
): CloudClient {
  const [cloud] = targetsBy(targets, "member");
  if (cloud === undefined) {
    throw new AppError("not_found", "not_found", "The cloud doesn't run in this process.");
  }
  const told = forwardingHeaders(request.headers);
  const host = request.headers.get("host");
  return cloudClient({
    baseUrl: "http://localhost",
    ...(accessToken === undefined ? {} : { headers: { authorization: `Bearer ${accessToken}` } }),
    async fetch(asked) {
      if (host !== null) asked.headers.set("host", host);
      passClient(request.headers, asked.headers);
      for (const [name, value] of told) asked.headers.set(name, value);
      return cloud.app.handle(asked, originOf(request, origin));
    },
  });
}
