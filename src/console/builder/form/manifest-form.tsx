import { Accordion, Alert } from "@mantine/core";
import { type ReactNode, useMemo, useState } from "react";
import type { ProblemBody } from "../../../contracts/error-body.ts";
import { pathOf } from "../../../manifest/fault.ts";
import { valueAt } from "../../../manifest/value-at.ts";
import type { YamlReading } from "../../../manifest/yaml/read-yaml.ts";
import { Icon } from "../../parts/icon.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { starterTexts, builderTexts as texts } from "../../texts/builder.ts";
import { useHost } from "../host.ts";
import { appendToManifest, changeManifest, renameInManifest } from "../manifest/change-manifest.ts";
import { problemsAt } from "../manifest/manifest-checks.ts";
import { mergeIntoManifest } from "../manifest/merge-manifest.ts";
import { type Schema, schemaAt } from "../manifest/schema-at.ts";
import { EntryList } from "./entry-list.tsx";
import { type FormContent, FormContext, useFormContent } from "./form-context.ts";
import { GuardrailsSection } from "./guardrails-section.tsx";
import { KnowledgeSection } from "./knowledge-section.tsx";
import { MemorySection } from "./memory-section.tsx";
import { ModelSection } from "./model-section.tsx";
import { OutputSection } from "./output-section.tsx";
import { RolesSection } from "./roles-section.tsx";
import { SchemaField } from "./schema-field.tsx";
import { ToolsSection } from "./tools-section.tsx";

interface ManifestFormProps {
  schema: Schema;
  text: string;
  /** Parse result of `text`. */
  reading: YamlReading;
  problems: readonly ProblemBody[];
  onChange: (text: string) => void;
}

interface Section {
  id: keyof typeof texts.sections;
  /** The parts of the manifest that the section shows. */
  paths: readonly string[];
  /** A part below these that another section shows. */
  except?: string;
  content: ReactNode;
}

const sections: readonly Section[] = [
  {
    id: "identity",
    paths: ["metadata", "spec.identity"],
    content: (
      <>
        <div className="ar-edit-pair">
          <SchemaField path="metadata.name" />
          <SchemaField path="spec.identity.display_name" />
        </div>
        <SchemaField path="spec.identity.description" />
        <div className="ar-edit-pair">
          <SchemaField path="spec.identity.role" />
          <SchemaField path="spec.identity.personality" />
        </div>
      </>
    ),
  },
  { id: "model", paths: ["spec.model"], except: "spec.model.roles", content: <ModelSection /> },
  { id: "roles", paths: ["spec.model.roles"], content: <RolesSection /> },
  {
    id: "prompts",
    paths: ["spec.prompts"],
    content: (
      <>
        <SchemaField path="spec.prompts.system" rows={6} />
        <SchemaField path="spec.prompts.context" rows={2} />
      </>
    ),
  },
  { id: "orchestration", paths: ["spec.orchestration"], content: <OrchestrationSection /> },
  {
    id: "chain",
    paths: ["spec.chain"],
    content: (
      <>
        <div className="ar-edit-pair">
          <SchemaField path="spec.chain.mode" />
          <SchemaField path="spec.chain.max_depth" />
        </div>
        <EntryList
          path="spec.chain.on_complete"
          labelOf={texts.link}
          addLabel={texts.addLink}
          starter={() => ({ agent: "helper" })}
        >
          {(path) => (
            <>
              <SchemaField path={`${path}.agent`} />
              <SchemaField path={`${path}.when`} />
              <SchemaField path={`${path}.input`} rows={2} />
              <SchemaField path={`${path}.default`} />
              <div className="ar-edit-pair">
                <SchemaField path={`${path}.timeout_seconds`} />
                <SchemaField path={`${path}.retry.max_attempts`} />
              </div>
              <SchemaField path={`${path}.on_error`} />
            </>
          )}
        </EntryList>
      </>
    ),
  },
  { id: "output", paths: ["spec.output_schema"], content: <OutputSection /> },
  { id: "tools", paths: ["spec.tools"], content: <ToolsSection /> },
  { id: "knowledge", paths: ["spec.knowledge"], content: <KnowledgeSection /> },
  { id: "memory", paths: ["spec.memory"], content: <MemorySection /> },
  { id: "guardrails", paths: ["spec.guardrails"], content: <GuardrailsSection /> },
];

/** Fields for the manifest's common parts; other parts are edited in the YAML. */
export function ManifestForm({ schema, text, reading, problems, onChange }: ManifestFormProps) {
  const { Upload } = useHost();
  const [opened, setOpened] = useState<string[]>([
    "identity",
    "model",
    "prompts",
    "tools",
    // Somebody new looks for the place of the documents.
    ...(Upload === undefined ? [] : ["knowledge"]),
  ]);
  const value = "value" in reading ? reading.value : undefined;
  const content = useMemo<FormContent | undefined>(
    () =>
      value && {
        schema,
        value,
        problems,
        change: (path, next) => onChange(changeManifest(text, path, next)),
        append: (path, item) => onChange(appendToManifest(text, path, item)),
        rename: (path, key) => onChange(renameInManifest(text, path, key)),
        merge: (path, next) => onChange(mergeIntoManifest(text, path, next)),
      },
    [schema, value, problems, text, onChange],
  );
  if (content === undefined) {
    const line = "problem" in reading ? reading.problem.line : undefined;
    return (
      <Alert color="red" variant="outline" className="ar-failure" icon={<Icon name="warn" />}>
        {texts.notYaml(line)}
      </Alert>
    );
  }
  return (
    <FormContext value={content}>
      <Accordion
        multiple
        order={2}
        variant="contained"
        value={opened}
        onChange={setOpened}
        chevronPosition="left"
      >
        {sections.filter(isOffered(schema, value)).map(({ id, paths, except, content: fields }) => {
          const shown = paths.flatMap((path) => problemsAt(problems, path));
          const elsewhere = except === undefined ? [] : problemsAt(problems, except);
          const faults = shown.length - elsewhere.length;
          return (
            <Accordion.Item key={id} value={id}>
              <Accordion.Control>
                <span className="ar-edit-section">
                  {texts.sections[id]}
                  {faults > 0 && <StatusBadge tone="bad">{texts.faulty(faults)}</StatusBadge>}
                </span>
              </Accordion.Control>
              <Accordion.Panel>
                {opened.includes(id) && <div className="ar-edit-fields">{fields}</div>}
              </Accordion.Panel>
            </Accordion.Item>
          );
        })}
      </Accordion>
    </FormContext>
  );
}

/** Returns true for a section of which the host keeps anything. */
const isOffered =
  (schema: Schema, value: unknown) =>
  ({ paths }: Section): boolean =>
    paths.some((path) => schemaAt(schema, pathOf(path), value) !== undefined);

/** The orchestration pattern of the agent, and its limits. */
function OrchestrationSection() {
  const { value } = useFormContent();
  const pattern = valueAt(value, ["spec", "orchestration", "pattern"]);
  return (
    <>
      <SchemaField path="spec.orchestration.pattern" />
      {pattern === "supervisor" && <SchemaField path="spec.orchestration.workers" />}
      {pattern === "pipeline" && (
        <EntryList
          path="spec.orchestration.stages"
          labelOf={texts.stage}
          addLabel={texts.addStage}
          starter={(count) => ({ name: `stage-${count + 1}`, prompt: starterTexts.stage })}
        >
          {(path) => (
            <>
              <SchemaField path={`${path}.name`} />
              <SchemaField path={`${path}.prompt`} rows={3} />
            </>
          )}
        </EntryList>
      )}
      <div className="ar-edit-pair">
        <SchemaField path="spec.orchestration.max_iterations" />
        <SchemaField path="spec.orchestration.timeout_seconds" />
      </div>
    </>
  );
}
