import { Anchor, Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { recallTexts as texts } from "../../../texts/studio/resources.ts";
import { memoryPaths } from "../memory-paths.ts";

interface RecallItemProps {
  text: string;
  /** Shown above the text. */
  head?: ReactNode;
  facts: readonly ReactNode[];
  agent: string;
  session?: string | undefined;
  forget?: (() => void) | undefined;
}

/** One memory: its text, its origin, and a button that deletes it. */
export function RecallItem({ text, head, facts, agent, session, forget }: RecallItemProps) {
  return (
    <li className="ar-recall">
      <div className="ar-recall-text">
        {head !== undefined && <div className="ar-recall-head">{head}</div>}
        <div className="ar-break">{text}</div>
        <div className="ar-recall-facts ar-soft">
          {session !== undefined && (
            <Anchor component={Link} href={memoryPaths.session(agent, session)} size="sm">
              {session}
            </Anchor>
          )}
          {facts.map((fact, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: facts keep their order
            <span key={at}>{fact}</span>
          ))}
        </div>
      </div>
      {forget !== undefined && (
        <Button size="compact-xs" variant="subtle" color="gray" onClick={forget}>
          {texts.forget}
        </Button>
      )}
    </li>
  );
}
