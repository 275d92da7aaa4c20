import type { CloudCatalog } from "../../../../contracts/cloud/agents.ts";
import type { WizardForm } from "./wizard-form.ts";

/** A step of the wizard. */
export interface StepProps {
  form: WizardForm;
  change: (changed: Partial<WizardForm>) => void;
  /** Returns the server's message about a value, by its key in the config; undefined if there is none to show. */
  errorOf: (path: string) => string | undefined;
  catalog: CloudCatalog;
  /** Providers for which the org has a key. */
  keyed: readonly string[];
}

/** Order of a field's parts: fields side by side begin at the same height. */
export const hintBelow: ("label" | "input" | "description" | "error")[] = [
  "label",
  "input",
  "description",
  "error",
];
