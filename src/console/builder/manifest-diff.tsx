import { SegmentedControl } from "@mantine/core";
import { useState } from "react";
import { DiffView } from "../editor/diff-view.tsx";
import { builderTexts as texts } from "../texts/builder.ts";
import { promptOf } from "./manifest/prompt-of.ts";

interface ManifestDiffProps {
  before: string;
  after: string;
  label: string;
}

/** The differences between two manifests, and those of their prompts as plain text. */
export function ManifestDiff({ before, after, label }: ManifestDiffProps) {
  const [part, setPart] = useState("yaml");
  const prompts = [promptOf(before), promptOf(after)] as const;
  const hasPrompts = prompts[0] !== prompts[1];
  return (
    <div className="ar-edit-diff">
      {hasPrompts && (
        <SegmentedControl
          size="xs"
          mb="xs"
          aria-label={label}
          value={part}
          data={[
            { value: "yaml", label: texts.yaml },
            { value: "prompt", label: texts.prompt },
          ]}
          onChange={setPart}
        />
      )}
      {hasPrompts && part === "prompt" ? (
        <DiffView before={prompts[0]} after={prompts[1]} language="text" label={label} />
      ) : (
        <DiffView before={before} after={after} language="yaml" label={label} />
      )}
    </div>
  );
}
