import { type Static, Type } from "@sinclair/typebox";

const rating = Type.Union([Type.Literal("up"), Type.Literal("down")], {
  description: "The answer was good or bad.",
});
const label = Type.String({ minLength: 1, maxLength: 64, description: "A word to find such runs by." });
const note = Type.String({
  minLength: 1,
  maxLength: 4_000,
  description: "What was good, or what was missing.",
});

const correction = Type.String({
  minLength: 1,
  maxLength: 16_000,
  description: "What the agent should have answered.",
});

/** A person's verdict on a run. It replaces the one before. */
export const FeedbackGiven = Type.Object(
  {
    rating: Type.Optional(rating),
    label: Type.Optional(label),
    note: Type.Optional(note),
    correction: Type.Optional(correction),
  },
  { additionalProperties: false, minProperties: 1 },
);
export type FeedbackGiven = Static<typeof FeedbackGiven>;

/** The verdict that a run has. */
export const Feedback = Type.Object({
  rating: Type.Optional(rating),
  label: Type.Optional(label),
  note: Type.Optional(note),
  correction: Type.Optional(correction),
  at: Type.String({ description: "Time of the verdict, ISO 8601 UTC." }),
});
export type Feedback = Static<typeof Feedback>;

/** A user's verdict on a run, by a reaction in a messaging channel. It replaces the one before. */
export const ChannelFeedbackGiven = Type.Object(
  {
    rating,
    channel: Type.String({
      minLength: 1,
      maxLength: 64,
      pattern: "^[a-z_]+$",
      description: "Channel that the user reacted in.",
    }),
    emoji: Type.String({ minLength: 1, maxLength: 64, description: "Reaction, as the channel names it." }),
    at: Type.String({ maxLength: 64, description: "Time of the reaction, ISO 8601." }),
  },
  { additionalProperties: false },
);
export type ChannelFeedbackGiven = Static<typeof ChannelFeedbackGiven>;

/** The verdict of users on a run: their newest reaction that is good or bad. */
export const ChannelFeedback = Type.Object({
  rating,
  channel: Type.String(),
  emoji: Type.String(),
  at: Type.String({ description: "Time of the reaction, ISO 8601 UTC." }),
});
export type ChannelFeedback = Static<typeof ChannelFeedback>;

/** Source of verdicts: people with access to the console or API, or users of a messaging channel. */
export const FeedbackSource = Type.Union([Type.Literal("person"), Type.Literal("channel")]);
export type FeedbackSource = Static<typeof FeedbackSource>;

/** All verdicts on a run. */
export const RunFeedback = Type.Object({
  feedback: Type.Optional(Feedback),
  channel_feedback: Type.Optional(ChannelFeedback),
});
export type RunFeedback = Static<typeof RunFeedback>;

export const FeedbackDeleted = Type.Object({ status: Type.Literal("deleted"), trace_id: Type.String() });
export type FeedbackDeleted = Static<typeof FeedbackDeleted>;
