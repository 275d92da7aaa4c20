import { Elysia } from "elysia";
import { readJson } from "../../../http/bodies/request-body.ts";
import { documented } from "../../../http/openapi/documented-hook.ts";
import { callContext } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { GatewayStorage } from "../tables.ts";
import { type ChatSite, findSite } from "./site-store.ts";
import type { VisitorTokens } from "./visitor-tokens.ts";

/** A visitor's message with its JSON around it, four bytes a character at most. */
const bodyBytesMax = 32 * 1024;
/** Browsers ask again after this time whether a page may call. */
const preflightSeconds = 600;

interface DoorContext {
  request: Request;
  params: { cuenta?: string };
  set: { headers: Record<string, string | number | undefined> };
}

/**
 * Plugin for routes that pages of other sites call: puts the account's `site` into the context if the page's origin is one of the account's,
 * with the CORS headers for just that origin. Everyone else gets 403, before the body is read.
 */
export const siteDoor = ({ storage }: { storage: GatewayStorage }) => {
  const admitted = new WeakMap<Request, Promise<ChatSite>>();
  const admit = (context: DoorContext): Promise<ChatSite> => {
    const known = admitted.get(context.request) ?? admitOrigin(storage, context);
    admitted.set(context.request, known);
    return known;
  };
  return new Elysia({ name: "webchat-site-door" })
    .use(callContext())
    .onParse({ as: "scoped" }, async ({ request, params, set, call }) => {
      await admit({ request, params, set });
      return readJson(request, bodyBytesMax, call);
    })
    .derive({ as: "scoped" }, async ({ request, params, set }) => ({
      site: await admit({ request, params, set }),
    }));
};

/** Hook after `siteDoor`: puts the `visitor` of the request's token into the context, or throws 401. */
export const visitorCredential = (tokens: VisitorTokens) =>
  documented(
    async ({ request, site }: { request: Request; site: ChatSite }) => {
      const visitor = await findVisitor(tokens, site, request);
      if (visitor === undefined) throw unauthorized();
      return { visitor };
    },
    { security: [{ visitorToken: [] }] },
  );

/** Returns the visitor of a request's token, or undefined without one. Throws 401 for a token that isn't valid for this account. */
export async function findVisitor(
  tokens: VisitorTokens,
  { accountId }: ChatSite,
  { headers }: Request,
): Promise<string | undefined> {
  const sent = headers.get("authorization");
  if (sent === null) return undefined;
  const token = /^Bearer +(\S+)$/i.exec(sent)?.[1];
  const claims = token === undefined ? undefined : await tokens.verify(token);
  if (claims?.accountId !== accountId) throw unauthorized();
  return claims.visitor;
}

async function admitOrigin(
  storage: GatewayStorage,
  { request, params, set }: DoorContext,
): Promise<ChatSite> {
  const account = params.cuenta ?? "";
  set.headers.vary = "origin";
  const site = await findSite(storage.read, storage.tables, account);
  const origin = site && originIn(site.origins, request);
  if (site === undefined || origin === undefined) throw notAllowed(account, request.headers.get("origin"));
  Object.assign(set.headers, {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": "retry-after",
    ...(request.method === "OPTIONS" && {
      "access-control-allow-methods": "GET, POST",
      "access-control-allow-headers": "authorization, content-type, last-event-id",
      "access-control-max-age": String(preflightSeconds),
    }),
  });
  return site;
}

/** Returns the allowed origin of the calling page. Browsers leave out `Origin` in a GET of the gateway's own site. */
function originIn(origins: readonly string[], { headers }: Request): string | undefined {
  const sent = headers.get("origin");
  if (sent !== null) return origins.find((origin) => origin === sent);
  if (headers.get("sec-fetch-site") !== "same-origin") return undefined;
  const host = headers.get("host")?.toLowerCase();
  return origins.find((origin) => new URL(origin).host === host);
}

/** The same for an account that doesn't exist, so that no one can try out accounts. */
const notAllowed = (account: string, origin: string | null) =>
  new AppError(
    "forbidden",
    "origin_not_allowed",
    `Pages of ${origin === null ? "an unnamed origin" : origin} may not show the chat ${account}.`,
    { details: { hint: `An operator allows them with PUT /admin/webchat/sites/${account}.` } },
  );

const unauthorized = () =>
  new AppError("unauthorized", "unauthorized", "This request needs a valid visitor token.", {
    details: { hint: "POST …/session without one begins a new thread." },
  });
