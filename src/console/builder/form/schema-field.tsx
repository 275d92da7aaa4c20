import { type Path, pathOf } from "../../../manifest/fault.ts";
import { valueAt } from "../../../manifest/value-at.ts";
import { manifestLabels, builderTexts as texts } from "../../texts/builder.ts";
import { keyLabel } from "../../texts/manifest.ts";
import { problemsAt } from "../manifest/manifest-checks.ts";
import { aliasesIn, type Schema, schemaAt } from "../manifest/schema-at.ts";
import { type FormContent, useFormContent } from "./form-context.ts";
import { SchemaInput } from "./schema-input.tsx";

interface SchemaFieldProps {
  /** Path in the form that problems use: `spec.model.primary.model`. */
  path: string;
  /** Values to suggest if the schema has none. */
  suggestions?: readonly string[];
  /** Initial number of lines, for prompts. */
  rows?: number;
  /** In place of a change of this value alone. */
  change?: (next: unknown) => void;
}

/** The input for one value of the manifest, by its JSON Schema. Renders nothing if the schema does not have it. */
export function SchemaField({ path: written, suggestions, rows, change }: SchemaFieldProps) {
  const content = useFormContent();
  const path = spelled(content, pathOf(written));
  const schema = schemaAt(content.schema, path, content.value);
  if (schema === undefined) return null;
  const value = valueAt(content.value, path);
  const isRequired = parentOf(content, path)?.required?.includes(String(path.at(-1))) ?? false;
  const problems = problemsAt(content.problems, written);
  return (
    <SchemaInput
      label={manifestLabels[written] ?? labelOf(String(pathOf(written).at(-1)))}
      schema={schema}
      value={value}
      isRequired={isRequired}
      error={problems.map(({ message }) => message).join("; ")}
      placeholder={schema.default === undefined ? texts.notSet : texts.default(String(schema.default))}
      suggestions={suggestions}
      rows={rows}
      onChange={change ?? ((next) => content.change(path, next === undefined && isRequired ? "" : next))}
    />
  );
}

const parentOf = ({ schema, value }: FormContent, path: Path): Schema | undefined =>
  schemaAt(schema, path.slice(0, -1), value);

/** Returns the path with its last key as the document spells it. */
function spelled(content: FormContent, path: Path): Path {
  const key = path.at(-1);
  const parent = parentOf(content, path);
  const present = valueAt(content.value, path.slice(0, -1));
  if (parent === undefined || typeof present !== "object" || present === null) return path;
  for (const [alias, canonical] of aliasesIn(parent)) {
    if (canonical === key && Object.hasOwn(present, alias)) return [...path.slice(0, -1), alias];
  }
  return path;
}

/** Returns the label of a key, in any section. */
const labelOf = (key: string): string => manifestLabels[key] ?? keyLabel(key);
