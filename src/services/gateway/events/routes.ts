import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { TenantId } from "../../../contracts/gateway/channels.ts";
import type { GatewayEvent } from "../../../contracts/gateway/events.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { eventStream } from "../../../http/streams/event-stream.ts";
import { AppError } from "../../../kit/app-error.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import { encodeSse } from "../../../kit/fetch/sse.ts";
import { type DeskDoor, deskCredential, deskTenant, requireDesk } from "../auth/desk-credential.ts";
import type { EventFeed } from "./event-feed.ts";

/** A reader then calls again, so that a token that was changed ends its streams. */
const streamMs = 60 * 60_000;

/** Whoever lost the role, or was signed out, sees nothing more after this time. */
const lookMs = 30_000;

/** The route through which the desk's pages follow what happens. */
export const eventRoutes = ({ feed, clock }: { feed: EventFeed; clock: Clock }, door: DeskDoor) =>
  new Elysia({ prefix: "/admin/events" })
    .use(jsonRoutes())
    .use(deskCredential(door))
    .get(
      "",
      async ({ query: { tenant: asked }, desk, request, call }) => {
        const tenant = deskTenant(desk, asked);
        const over = new AbortController();
        const cancelTimer = clock.timer(streamMs, () => over.abort());
        if (desk.tenantId !== undefined) void lookAgain(door, request, clock, over);
        const ending = [over.signal, ...(call.retiring === undefined ? [] : [call.retiring])];
        return eventStream<GatewayEvent>({
          source: async function* (gone) {
            try {
              yield* follow(feed, tenant, clock, AbortSignal.any([gone, ...ending]));
            } finally {
              cancelTimer();
              over.abort();
            }
          },
          encode: (event) => encodeSse({ data: JSON.stringify(event) }),
          encodeError: () => encodeSse({ event: "error", data: "{}" }),
          request,
          call,
          clock,
        });
      },
      {
        query: Type.Object({ tenant: Type.Optional(TenantId) }),
        detail: {
          tags: ["events"],
          operationId: "followEvents",
          summary: "Changes of messages, conversations and accounts as server-sent events",
          description:
            "Each event is a `GatewayEvent` as JSON. The first is `stream`, `open`; it comes again if a slow reader lost some. The stream ends after an hour at most.",
          responses: {
            200: {
              description: "Success.",
              content: { "text/event-stream": { schema: { type: "string" } } },
            },
          },
        },
      },
    );

/** Ends a stream whose credential is refused meanwhile. An outage of the platform ends none. */
async function lookAgain(
  door: DeskDoor,
  request: Request,
  clock: Clock,
  over: AbortController,
): Promise<void> {
  const { signal } = over;
  const asking = new Request(request.url, { headers: request.headers, signal });
  while (!signal.aborted) {
    await sleep(clock, lookMs, signal).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await requireDesk(door, asking);
    } catch (thrown) {
      if (thrown instanceof AppError && thrown.status < 500) over.abort();
    }
  }
}

async function* follow(
  feed: EventFeed,
  tenant: string | undefined,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<GatewayEvent> {
  using reader = feed.read();
  yield { at: clock.now().toISOString(), about: "stream", change: "open" };
  while (!signal.aborted) {
    const events = await reader.next(signal);
    yield* events.filter(
      ({ about, tenant_id }) => about === "stream" || tenant === undefined || tenant_id === tenant,
    );
  }
}
