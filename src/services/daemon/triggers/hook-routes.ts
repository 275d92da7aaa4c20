import { Elysia } from "elysia";
import { HookAnswer } from "../../../contracts/daemon/triggers.ts";
import { rawRoutes } from "../../../http/route-plugins.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import { readStrictJson } from "../../../kit/json/strict-json.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { findTrigger } from "./store.ts";
import type { LoadedTrigger, Triggers } from "./triggers.ts";
import { type HookTerms, verifyHook } from "./verify-hook.ts";

/** Need no API token: the signature authenticates the caller. */
export const hookPaths = "/v1/hooks/*";

const hookBytesMax = 256 * 1024;

/** Webhooks of agents' triggers. */
export const hookRoutes = ({ clock, triggers }: { clock: Clock; triggers: Triggers }) =>
  new Elysia().use(rawRoutes(hookBytesMax)).post(
    "/v1/hooks/:agent/:name",
    async ({ params, request, body, set }) => {
      const bytes = body instanceof Uint8Array ? body : new Uint8Array();
      const hook = findHook(triggers, params.agent, params.name);
      const { key } = verifyHook(hook?.terms ?? noTerms, request.headers, bytes, clock);
      if (hook === undefined) throw new Error("Nothing is signed with the secret of no webhook.");
      const { agent, trigger } = hook.loaded;
      const row = await findTrigger(triggers.storage, {
        tenant: operatorTenant,
        agent: agent.name,
        name: trigger.declared.name,
      });
      if (row?.isPaused) throw triggerPaused(trigger.declared.name);
      const payload = await payloadOf(request.headers.get("content-type") ?? "", bytes);
      const { id, status } = await triggers.fire(hook.loaded, { key, payload, byPerson: false });
      set.status = 202;
      return { id, status } as never;
    },
    {
      response: { 202: HookAnswer },
      detail: {
        tags: ["triggers"],
        operationId: "receiveHook",
        summary: "Fires a trigger of type `webhook`",
        description:
          "The body, at most 256 KiB, is signed by Standard Webhooks, or in `X-Hub-Signature-256`, as the trigger says. The response is sent as soon as the fire is stored; the same event fires once, however often it is delivered. An unknown webhook is 403 `signature_invalid` too.",
        security: [],
      },
    },
  );

/** Callers without a secret can't tell a webhook that doesn't exist from one that does. */
const noTerms: HookTerms = { secret: crypto.randomUUID(), signature: "standard" };

function findHook(
  triggers: Triggers,
  agent: string,
  name: string,
): { loaded: LoadedTrigger; terms: HookTerms } | undefined {
  const loaded = triggers.find(agent, name);
  if (loaded?.trigger.declared.type !== "webhook") return undefined;
  return { loaded, terms: loaded.trigger.declared };
}

/** JSON as what it says, any other text as it is. */
async function payloadOf(contentType: string, bytes: Uint8Array): Promise<unknown> {
  if (/[/+]json\b/i.test(contentType)) return inPieces(readStrictJson(bytes));
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new AppError("invalid", "invalid_request", "The body is not valid UTF-8 text.");
  }
}

const triggerPaused = (name: string) =>
  new AppError("conflict", "trigger_paused", `Trigger ${name} is paused.`, {
    details: { hint: "Deliver it again when the trigger is resumed." },
  });
