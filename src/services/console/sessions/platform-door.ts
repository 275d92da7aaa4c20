import { type PlatformClient, platformClient } from "../../../contracts/platform/clients/client.ts";
import type { Origin } from "../../../http/call.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { ConsoleDeps } from "../deps.ts";
import { forwardingHeaders, originOf, passClient } from "../forward/handed-on.ts";
import { targetsBy } from "../targets.ts";

/** A request as received. */
export interface Received {
  request: Request;
  origin: Origin;
}

/** Client of the platform in this process, acting for the sender of `received`. The platform counts attempts by that sender's address. */
export function platformFor(
  { targets }: Pick<ConsoleDeps, "targets">,
  { request, origin }: Received,
  accessToken?: string,
  answered: (answer: Response) => void = () => {},
): PlatformClient {
  const [platform] = targetsBy(targets, "person");
  if (platform === undefined) {
    throw new AppError("not_found", "not_found", "The platform doesn't run in this process.");
  }
  const told = forwardingHeaders(request.headers);
  return platformClient({
    baseUrl: "http://localhost",
    ...(accessToken === undefined ? {} : { accessToken }),
    async fetch(asked) {
      asked.headers.set("host", "localhost");
      for (const [name, value] of told) asked.headers.set(name, value);
      passClient(request.headers, asked.headers);
      const device = deviceCookieIn(request.headers);
      if (device !== undefined) asked.headers.set("cookie", device);
      const answer = await platform.app.handle(asked, originOf(request, origin));
      answered(answer);
      return answer;
    },
  });
}

/** The cookie by which the platform knows a browser that has signed in; no other cookie is passed on. */
const deviceCookieIn = (headers: Headers): string | undefined =>
  /(?:^|;\s*)(argosy_device=[A-Za-z0-9_-]{43})(?=;|$)/.exec(headers.get("cookie") ?? "")?.[1];
