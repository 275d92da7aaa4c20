import { type Static, Type } from "@sinclair/typebox";

const count = (description: string) => Type.Integer({ minimum: 0, description });
const seconds = (description: string) =>
  Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description });

/** How long something took, over all cases. */
const Duration = Type.Object({
  count: count("Cases."),
  average_s: seconds("Mean in seconds; null without a case."),
  median_s: seconds(
    "Half took this long or less: exact, by nearest rank. Null without a case, and in rows of groups.",
  ),
});

const figures = {
  conversations: count(
    "Conversations that users began: by a first message, one after it was resolved, or one after a day of silence.",
  ),
  inbound: count("Messages of users, without reactions."),
  outbound: count("Messages to users."),
  first_response: Duration,
  resolution: Duration,
  transcription: Type.Object({
    count: count("Voice messages that were transcribed."),
    seconds: Type.Number({ minimum: 0, description: "Their length, as far as the model tells it." }),
  }),
  csat: Type.Object({
    asked: count("Questions that were asked after a conversation was resolved."),
    answered: count("Answers."),
    average: Type.Union([Type.Number({ minimum: 1, maximum: 5 }), Type.Null()]),
    scores: Type.Array(Type.Integer({ minimum: 0 }), {
      minItems: 5,
      maxItems: 5,
      description: "Answers of 1, 2, 3, 4 and 5.",
    }),
  }),
};

export const ReportFigures = Type.Object(figures);
export type ReportFigures = Static<typeof ReportFigures>;

export const ReportDay = Type.Object({ date: Type.String({ description: "YYYY-MM-DD." }), ...figures });
export const ReportGroup = Type.Object({ name: Type.String(), ...figures });
export type ReportGroup = Static<typeof ReportGroup>;

/** Figures of a desk: by day, by person and by agent. */
export const DeskReport = Type.Object({
  tenant_id: Type.Union([Type.String(), Type.Null()], { description: "Null: of all tenants." }),
  from: Type.String({ description: "First day, YYYY-MM-DD." }),
  to: Type.String({ description: "Last day." }),
  time_zone: Type.String(),
  total: ReportFigures,
  days: Type.Array(ReportDay, { description: "All days, oldest first." }),
  people: Type.Array(ReportGroup, {
    description:
      "By who wrote or resolved, the most messages first; persons that nobody named are in no row.",
  }),
  agents: Type.Array(ReportGroup, {
    description:
      "By agent, the most messages first. Resolutions and answers count for the agent that served the conversation.",
  }),
});
export type DeskReport = Static<typeof DeskReport>;

export interface ReportQuery {
  tenant?: string | undefined;
  /** Days, YYYY-MM-DD; default: the last seven. */
  from?: string | undefined;
  to?: string | undefined;
  /** Time zone of the IANA in which the days begin; default: UTC. */
  time_zone?: string | undefined;
  channel?: string | undefined;
}
