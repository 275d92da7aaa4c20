import { Button } from "@mantine/core";
import { Link } from "wouter";
import { EmptyState } from "../../parts/empty-state.tsx";
import { memoryTexts, recallTexts as texts } from "../../texts/studio-parts.ts";

/** Placeholder for a kind of memory that the agent's manifest does not enable, with instructions. */
export function NoSuchMemory({ agent, kind }: { agent: string; kind: "semantic" | "episodic" }) {
  const isSemantic = kind === "semantic";
  return (
    <EmptyState
      title={texts.notThere((isSemantic ? memoryTexts.texts : memoryTexts.episodes).toLowerCase())}
      text={isSemantic ? texts.semanticHow : texts.episodicHow}
    >
      <Button component={Link} variant="default" href={`/studio/agents/${encodeURIComponent(agent)}/edit`}>
        {texts.edit}
      </Button>
    </EmptyState>
  );
}
