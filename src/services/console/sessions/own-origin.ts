import { AppError } from "../../../kit/app-error.ts";

/** Origin of this console's pages as the browser sees it. A proxy may terminate TLS for us. */
export function ownOrigin({ url, headers }: Request): string {
  const { protocol, origin } = new URL(url);
  const forwardedProtocol = headers.get("x-forwarded-proto")?.split(",")[0]?.trim();
  if (protocol === "https:" || forwardedProtocol !== "https") return origin;
  return new URL(`https://${headers.get("host") ?? ""}`).origin;
}

/** Refuses requests from pages of another origin, including another port of this host. */
export function requireOwnPage(request: Request): void {
  const { headers } = request;
  const origin = headers.get("origin");
  const site = headers.get("sec-fetch-site");
  if ((origin === null || origin === ownOrigin(request)) && (site === null || site === "same-origin")) return;
  throw foreign();
}

/** Like `requireOwnPage`, for a WebSocket, where browsers always send `Origin`. */
export function requireOwnSocket(request: Request): void {
  requireOwnPage(request);
  if (!request.headers.has("origin")) throw foreign();
}

function foreign(): AppError {
  return new AppError("forbidden", "forbidden", "Only pages of this console itself may ask this.", {
    details: { hint: "A proxy that speaks TLS in front of it has to send `X-Forwarded-Proto: https`." },
  });
}
