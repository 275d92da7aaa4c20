import { createContext, use } from "react";
import type { ProblemBody } from "../../../contracts/error-body.ts";
import type { Path } from "../../../manifest/fault.ts";
import type { Schema } from "../manifest/schema-at.ts";

/** The manifest for the form's fields. */
export interface FormContent {
  schema: Schema;
  /** The parsed YAML. */
  value: Record<string, unknown>;
  problems: readonly ProblemBody[];
  /** Changes a part; undefined removes it. */
  change(path: Path, value: unknown): void;
  append(path: Path, item: unknown): void;
  /** Gives the key at the end of the path another name. Its mapping must not have that name yet. */
  rename(path: Path, key: string): void;
  /** Changes a part to equal the value; parts of it that are equal already keep their comments. */
  merge(path: Path, value: unknown): void;
}

export const FormContext = createContext<FormContent | undefined>(undefined);

export function useFormContent(): FormContent {
  const content = use(FormContext);
  if (content === undefined) throw new Error("There is no form here.");
  return content;
}
