import { createContext, use } from "react";
import type { ProblemBody } from "../../../../contracts/error-body.ts";
import type { Path } from "../../../../manifest/fault.ts";
import type { Schema } from "../manifest/schema-at.ts";

/** The manifest as the form's fields see it. */
export interface FormContent {
  schema: Schema;
  /** What the YAML says. */
  value: Record<string, unknown>;
  problems: readonly ProblemBody[];
  /** Undefined takes the part out. */
  change(path: Path, value: unknown): void;
  append(path: Path, item: unknown): void;
}

export const FormContext = createContext<FormContent | undefined>(undefined);

export function useFormContent(): FormContent {
  const content = use(FormContext);
  if (content === undefined) throw new Error("There is no form here.");
  return content;
}

/** What stands at a path of the manifest. */
export const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (at, key) => (typeof at === "object" && at !== null ? (at as Record<string, unknown>)[key] : undefined),
    value,
  );
