import { type Static, Type } from "@sinclair/typebox";

export const TriggerType = Type.Union([
  Type.Literal("schedule"),
  Type.Literal("webhook"),
  Type.Literal("document"),
  Type.Literal("message"),
]);

const instant = (description: string) => Type.String({ description: `${description}, ISO 8601 UTC.` });

/**
 * `queued`: waits for a place. `waiting`: its run waits for a person or a caller. `interrupted`: the process that ran it ended, and what it
 * had done is not repeated. `expired`: no server had its trigger for an hour.
 */
export const FireStatus = Type.Union([
  Type.Literal("queued"),
  Type.Literal("running"),
  Type.Literal("completed"),
  Type.Literal("waiting"),
  Type.Literal("failed"),
  Type.Literal("interrupted"),
  Type.Literal("expired"),
]);
export type FireStatus = Static<typeof FireStatus>;

export const Fire = Type.Object({
  id: Type.String(),
  agent: Type.String(),
  trigger: Type.String(),
  type: TriggerType,
  status: FireStatus,
  by: Type.Union([Type.Literal("event"), Type.Literal("person")]),
  due_at: instant("When it was due"),
  created_at: instant("When it was stored"),
  started_at: Type.Optional(instant("Start of its run")),
  ended_at: Type.Optional(instant("End of its run")),
  trace_id: Type.Optional(Type.String({ description: "Trace of its run." })),
  session_id: Type.Optional(Type.String({ description: "Session of its run." })),
  awaits: Type.Optional(
    Type.String({ description: "Id of the approval, or of the client's call, that its run waits for." }),
  ),
  error: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() })),
});
export type Fire = Static<typeof Fire>;

export const FireList = Type.Object({ fires: Type.Array(Fire), next_cursor: Type.Optional(Type.String()) });
export type FireList = Static<typeof FireList>;

const triggerFields = {
  agent: Type.String(),
  name: Type.String(),
  type: TriggerType,
  paused: Type.Boolean(),
  agent_paused: Type.Boolean({ description: "True if the agent accepts no runs." }),
  about: Type.String({ description: "What fires it, such as the cron expression or the collection." }),
  timezone: Type.Optional(Type.String({ description: "Schedules: time zone of the wall clock." })),
  next_at: Type.Optional(instant("Schedules: when it fires next")),
  path: Type.Optional(Type.String({ description: "Webhooks: path for the signed requests." })),
  last_fire: Type.Optional(Fire),
};

export const TriggerSummary = Type.Object(triggerFields);
export type TriggerSummary = Static<typeof TriggerSummary>;

export const TriggerList = Type.Object({ triggers: Type.Array(TriggerSummary) });
export type TriggerList = Static<typeof TriggerList>;

export const FireRequest = Type.Object(
  {
    payload: Type.Optional(
      Type.Unknown({ description: "`payload` of the templates, in place of what an event brings." }),
    ),
    key: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: "The same key never fires the trigger twice.",
      }),
    ),
  },
  { additionalProperties: false },
);
export type FireRequest = Static<typeof FireRequest>;

export const HookAnswer = Type.Object({
  id: Type.String({ description: "Id of the fire." }),
  status: FireStatus,
});
