import type { Work } from "../../kit/concurrency/others-turn.ts";
import type { AnswerSchema } from "../models/model.ts";

/** Data of an answer that matches the declared schema, or null and the reason. */
export type StructuredAnswer = { data: unknown } | { data: null; error: string };

/** An agent's `output_schema`, compiled once. */
export interface StructuredOutput {
  schema: AnswerSchema;
  /** Instruction for the model, at the end of the system prompt. */
  instruction: string;
  /** Finds the JSON in an answer and checks it. Never throws. */
  read(answer: string): Work<StructuredAnswer>;
}
