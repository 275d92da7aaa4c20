import { Checkbox, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { StatusBadge } from "../../../parts/text/status-badge.tsx";
import { wizardTexts as texts } from "../../../texts/cloud/agents.ts";
import { FieldError } from "./field-error.tsx";
import type { StepProps } from "./step-props.ts";

/** Step 3: tools of the catalog. A stored tool that the catalog no longer has stays in the list until it is unchecked. */
export function ToolStep({ form, change, errorOf, catalog }: StepProps) {
  const [search, setSearch] = useState("");
  const known = new Set(catalog.tools.map(({ name }) => name));
  const gone = form.tools
    .filter((name) => !known.has(name))
    .map((name) => ({ name, description: "", writes: false }));
  const wanted = search.trim().toLowerCase();
  const shown = [...gone, ...catalog.tools].filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  );
  const toggle = (name: string, isChosen: boolean) =>
    change({ tools: isChosen ? [...form.tools, name] : form.tools.filter((one) => one !== name) });
  return (
    <>
      <Text size="sm" className="ar-soft">
        {texts.toolsHint}
      </Text>
      <TextInput
        aria-label={texts.findTool}
        placeholder={texts.findTool}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
      />
      <FieldError message={errorOf("step3.tools")} />
      <ul className="ar-cl-choices" aria-label={texts.tools}>
        {shown.map(({ name, description, writes }) => (
          <li key={name}>
            <Checkbox
              label={
                <span className="ar-cl-choice">
                  <span className="ar-mono ar-break">{name}</span>
                  {writes && <StatusBadge tone="warn">{texts.writes}</StatusBadge>}
                </span>
              }
              description={description}
              checked={form.tools.includes(name)}
              onChange={(event) => toggle(name, event.currentTarget.checked)}
            />
          </li>
        ))}
      </ul>
      {shown.length === 0 && <Text className="ar-soft">{texts.noTool}</Text>}
    </>
  );
}
