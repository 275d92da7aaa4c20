import type { Work } from "../../kit/others-turn.ts";
import type { AnswerSchema } from "../models/model.ts";

/** What an answer holds of the declared shape: the object, or null and why. */
export type StructuredAnswer = { data: unknown } | { data: null; error: string };

/** An agent's `output_schema`, compiled once. */
export interface StructuredOutput {
  schema: AnswerSchema;
  /** What the model is told, at the end of the system prompt. */
  instruction: string;
  /** Finds the JSON in an answer and checks it. Never throws. */
  read(answer: string): Work<StructuredAnswer>;
}
