import { AppError } from "../../../kit/app-error.ts";

/** The origin of this console's pages as the request's browser sees it: a proxy in front may speak TLS for us. */
export function ownOrigin({ url, headers }: Request): string {
  const { protocol, origin } = new URL(url);
  const told = headers.get("x-forwarded-proto")?.split(",")[0]?.trim();
  if (protocol === "https:" || told !== "https") return origin;
  return new URL(`https://${headers.get("host") ?? ""}`).origin;
}

/** Refuses what a page of another origin asks, another port of this host among them. */
export function requireOwnPage(request: Request): void {
  const { headers } = request;
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  if ((origin === null || origin === ownOrigin(request)) && (site === null || site === "same-origin")) return;
  throw foreign();
}

/** As `requireOwnPage`, for a WebSocket: there the browser always says of which page it is. */
export function requireOwnSocket(request: Request): void {
  requireOwnPage(request);
  if (!request.headers.has("origin")) throw foreign();
}

function foreign(): AppError {
  return new AppError("forbidden", "forbidden", "Only pages of this console itself may ask this.", {
    details: { hint: "A proxy that speaks TLS in front of it has to send `X-Forwarded-Proto: https`." },
  });
}
