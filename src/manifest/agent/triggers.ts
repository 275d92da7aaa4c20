import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { offsetIn } from "../../kit/cron/next-instant.ts";
import { parseCron } from "../../kit/cron/parse-cron.ts";
import type { Path } from "../fault.ts";
import type { ManifestReport } from "../schema/manifest-kind.ts";
import {
  closed,
  collectionName,
  list,
  objectName,
  oneOf,
  template,
  text,
} from "../schema/schema-vocabulary.ts";

export const triggerTypes = ["schedule", "webhook", "document", "message"] as const;
export type TriggerType = (typeof triggerTypes)[number];

/** Changes of a document that fire a trigger. */
export const documentChanges = ["created", "replaced", "deleted"] as const;
export type DocumentChange = (typeof documentChanges)[number];

function entry<T extends TriggerType, P extends TProperties>(type: T, description: string, own: P) {
  return closed(
    {
      name: objectName({ description: "The trigger's name in routes and traces; unique in the agent." }),
      type: Type.Literal(type, { description: "What fires it." }),
      query: template({
        description:
          "Jinja2 template of what the agent is asked, over `trigger.{name, type, at, by}` and `payload`; a missing field fails the fire.",
      }),
      session_id: Type.Optional(
        template({
          description:
            "Jinja2 template of the session, over the same; absent: each fire has a session of its own.",
        }),
      ),
      ...own,
    },
    { description },
  );
}

const entries = {
  schedule: entry(
    "schedule",
    "Fires by the clock. `payload` has `scheduled_at`, `local_time` and `timezone`.",
    {
      cron: text(256, {
        description:
          "Five fields: minute, hour, day of the month, month, day of the week (0 or 7 is Sunday), with names, ranges, lists and steps; or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`.",
        expects: "five fields of cron such as `0 9 * * mon-fri`",
      }),
      timezone: text(64, {
        description:
          "Time zone of the wall clock, such as `Europe/Madrid`. A time that the clock shows twice fires once, one that it leaves out fires as much later; hours `*` follow the time that passes.",
        default: "UTC",
      }),
      missed: oneOf(["skip", "latest", "all"], {
        description:
          "What becomes of fires whose time passed while no server ran: none, the last one, or each (the last 100).",
        default: "latest",
      }),
    },
  ),
  webhook: entry(
    "webhook",
    "Fires by a signed request to `POST /v1/hooks/{agent}/{trigger}`. `payload` is its JSON body.",
    {
      secret: Type.String({
        minLength: 16,
        maxLength: 512,
        description:
          "The secret of the signatures; name a variable of the environment, as in every text. With `standard`, one that begins with `whsec_` is read as base64.",
        expects: "a secret of 16 to 512 characters",
      }),
      signature: oneOf(["standard", "sha256"], {
        description:
          "`standard`: Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`), with a time limit of five minutes. `sha256`: `X-Hub-Signature-256`, as GitHub and Meta send it.",
        default: "standard",
      }),
    },
  ),
  document: entry(
    "document",
    "Fires when documents of a collection change, once for each write. `payload` has `collection`, `change`, `documents` and `count`.",
    {
      collection: collectionName({ description: "The collection." }),
      changes: list(oneOf(documentChanges, { description: "A change." }), 3, {
        description: "The changes that fire it.",
        default: [...documentChanges],
      }),
    },
  ),
  message: entry(
    "message",
    "Fires when a message arrives on a channel, beside the agent that answers it. `payload` has `channel`, `from`, `kind`, `text` and `message_id`.",
    {
      channel: oneOf(["phone_messenger"], { description: "The channel.", default: "phone_messenger" }),
    },
  ),
};

/** A trigger of an agent; `type` determines its keys. */
export type TriggerEntry = { [T in TriggerType]: Static<(typeof entries)[T]> }[TriggerType];

/** `spec.triggers`: what runs the agent by itself. */
export const triggersSection = list(Type.Unsafe<TriggerEntry>(Type.Union(Object.values(entries))), 32, {
  description: "What runs the agent by itself: schedules, webhooks, changed documents, messages.",
});

/** Checks what a schema can't express: the expression and its time zone. */
export function checkTriggers(triggers: readonly TriggerEntry[], report: ManifestReport): void {
  for (const [index, trigger] of triggers.entries()) {
    const at = (...rest: Path): Path => ["spec", "triggers", index, ...rest];
    if (trigger.type === "schedule") {
      const read = parseCron(trigger.cron);
      if ("fault" in read) report(at("cron"), read.fault);
      if (offsetIn(trigger.timezone) === undefined)
        report(at("timezone"), `is not a time zone such as Europe/Madrid: ${trigger.timezone}`);
    }
    if (trigger.type === "document" && trigger.changes.length === 0)
      report(at("changes"), "must name a change, or be left out");
  }
}
