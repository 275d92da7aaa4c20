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

/** A person's verdict on a run. It replaces the one before. */
export const FeedbackGiven = Type.Object(
  { rating: Type.Optional(rating), label: Type.Optional(label), note: Type.Optional(note) },
  { additionalProperties: false, minProperties: 1 },
);
export type FeedbackGiven = Static<typeof FeedbackGiven>;

/** The verdict that a run has. */
export const Feedback = Type.Object({
  rating: Type.Optional(rating),
  label: Type.Optional(label),
  note: Type.Optional(note),
  at: Type.String({ description: "Time of the verdict, ISO 8601 UTC." }),
});
export type Feedback = Static<typeof Feedback>;

export const FeedbackDeleted = Type.Object({ status: Type.Literal("deleted"), trace_id: Type.String() });
export type FeedbackDeleted = Static<typeof FeedbackDeleted>;
