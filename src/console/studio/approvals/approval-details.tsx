import { Anchor, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { ApprovalDetail } from "../../../contracts/daemon/runs/approvals.ts";
import { Facts } from "../../parts/layout/facts.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { formatInstant } from "../../parts/text/format.ts";
import { JsonView } from "../../parts/text/json-view.tsx";
import { Markdown } from "../../parts/text/markdown.tsx";
import { playTexts, approvalTexts as texts } from "../../texts/studio/runs.ts";
import { useDaemon } from "../use-daemon.ts";

interface ApprovalDetailsProps {
  id: string;
  show: (id: string) => void;
}

/** The decision on a call, and the outcome of its run. */
export function ApprovalDetails({ id, show }: ApprovalDetailsProps) {
  const daemon = useDaemon();
  const query = useQuery({ queryKey: ["daemon", "approvals", id], queryFn: () => daemon.getApproval(id) });
  return (
    <div className="ar-panel-body">
      <Loaded query={query} rows={3}>
        {(approval) => <Decided approval={approval} show={show} />}
      </Loaded>
    </div>
  );
}

function Decided({ approval, show }: { approval: ApprovalDetail; show: (id: string) => void }) {
  const { input, decided_at: decidedAt, comment, session_id: session, agent, tool, question } = approval;
  return (
    <div className="ar-run">
      {question !== undefined && (
        <p className="ar-flat ar-break">
          {question.server}: {question.message}
        </p>
      )}
      <div className="ar-label">{texts.input}</div>
      <JsonView value={input} label={`${tool}: ${texts.input}`} maxHeight={240} />
      <Facts
        across
        facts={[
          ...(decidedAt === undefined ? [] : [{ label: texts.decided, value: formatInstant(decidedAt) }]),
          ...(comment === undefined ? [] : [{ label: texts.comment, value: comment }]),
          {
            label: texts.session,
            value: (
              <Anchor
                component={Link}
                href={`/studio/memory/${encodeURIComponent(agent)}/${encodeURIComponent(session)}`}
              >
                {session}
              </Anchor>
            ),
          },
        ]}
      />
      <Outcome approval={approval} show={show} />
    </div>
  );
}

function Outcome({ approval, show }: { approval: ApprovalDetail; show: (id: string) => void }) {
  const { result, error, next_approval_id: next, next_call_id: nextCall } = approval;
  if (result !== undefined) {
    return (
      <>
        <div className="ar-label">{texts.result}</div>
        <Markdown text={result.response} />
        <div>
          <Anchor component={Link} href={`/studio/traces/${encodeURIComponent(result.trace_id)}`}>
            {playTexts.trace}
          </Anchor>
        </div>
      </>
    );
  }
  if (error !== undefined) {
    return (
      <p className="ar-flat ar-break">
        {texts.failedWhy}: {error.message}
      </p>
    );
  }
  if (next !== undefined) {
    return (
      <p className="ar-mark">
        {texts.next}
        <Button size="compact-sm" variant="default" onClick={() => show(next)}>
          {texts.openNext}
        </Button>
      </p>
    );
  }
  return nextCall === undefined ? null : <p className="ar-flat">{texts.nextCall}</p>;
}
