import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { TenantId } from "../../../contracts/gateway/channels.ts";
import type { GatewayEvent } from "../../../contracts/gateway/events.ts";
import { jsonRoutes } from "../../../http/route-plugins.ts";
import { eventStream } from "../../../http/streams/event-stream.ts";
import type { Clock } from "../../../kit/clock.ts";
import { encodeSse } from "../../../kit/fetch/sse.ts";
import { adminCredential } from "../auth/credentials.ts";
import type { EventFeed } from "./event-feed.ts";

/** A reader then calls again, so that a token that was changed ends its streams. */
const streamMs = 60 * 60_000;

/** The route through which operators' pages follow what happens. */
export const eventRoutes = ({ feed, clock }: { feed: EventFeed; clock: Clock }, adminToken: string) =>
  new Elysia({ prefix: "/admin/events" })
    .use(jsonRoutes())
    .use(adminCredential(adminToken))
    .get(
      "",
      async ({ query: { tenant }, request, call }) => {
        const over = new AbortController();
        const cancelTimer = clock.timer(streamMs, () => over.abort());
        const ending = [over.signal, ...(call.retiring === undefined ? [] : [call.retiring])];
        return eventStream<GatewayEvent>({
          source: async function* (gone) {
            try {
              yield* follow(feed, tenant, clock, AbortSignal.any([gone, ...ending]));
            } finally {
              cancelTimer();
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
