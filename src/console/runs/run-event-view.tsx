import { memo } from "react";
import { Icon } from "../parts/icon.tsx";
import { Markdown } from "../parts/text/markdown.tsx";
import { StatusBadge } from "../parts/text/status-badge.tsx";
import { runPartTexts as texts } from "../texts/runs.ts";
import type { Mark } from "./run-state.ts";

/** An event between the words of an answer: a step, a handoff, a guardrail, a decision. */
export const RunEventView = memo(function RunEventView({ mark }: { mark: Mark }) {
  switch (mark.kind) {
    case "step":
      return (
        <details className="ar-step">
          <summary>
            <Icon name="list" size={14} />
            <span>{texts.step}</span>
            <b className="ar-break">{mark.name}</b>
          </summary>
          <div className="ar-tool-body">
            <Markdown text={mark.content} />
          </div>
        </details>
      );
    case "handoff":
      return (
        <p className="ar-mark">
          <Icon name="agents" size={14} />
          <span className="ar-break">{texts.handoff(mark.from, mark.to)}</span>
          {mark.reason !== undefined && <span className="ar-soft ar-break">{mark.reason}</span>}
        </p>
      );
    case "guardrail":
      return (
        <p className="ar-mark">
          <Icon name="warn" size={14} />
          <span className="ar-break">{texts.guardrail(mark.guardrail, mark.stage)}</span>
          <StatusBadge tone="warn">{mark.outcome}</StatusBadge>
          <span className="ar-soft">{texts.hits(mark.hits)}</span>
        </p>
      );
    case "decision":
      return (
        <p className="ar-mark">
          <Icon name="approvals" size={14} />
          <span className="ar-break">
            {mark.verdict === "approve" ? texts.approved(mark.tool) : texts.rejected(mark.tool)}
          </span>
          {mark.comment !== undefined && <span className="ar-soft ar-break">{mark.comment}</span>}
        </p>
      );
    case "answer":
      return (
        <p className="ar-mark">
          <Icon name="approvals" size={14} />
          <span className="ar-break">
            {mark.failed ? texts.handedInFailure(mark.tool) : texts.handedIn(mark.tool)}
          </span>
        </p>
      );
  }
});
