import { Anchor } from "@mantine/core";
import { Link } from "wouter";
import type { ChannelName } from "../../../contracts/gateway/channels.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { formatDuration } from "../../parts/text/format.ts";
import { creditsText } from "../../parts/text/money.ts";
import { channelTexts } from "../../texts/gateway/gateway.ts";
import { phoneTexts as texts } from "../../texts/gateway/phone.ts";
import { trailTexts } from "../../texts/gateway/trail.ts";
import { gatewayPaths } from "../gateway-paths.ts";
import { plainReason } from "../outbox/plain-reason.ts";
import { type Pipeline, type PipelineStage, type StageNote, stageNames } from "./pipeline.ts";
import { type FoundPipeline, usePipeline } from "./use-pipeline.ts";

/** The steps of one message, lit as they happen. */
export function PipelineView({ id, channel }: { id: string; channel: ChannelName }) {
  const { found, error } = usePipeline(id);
  return (
    <Panel title={texts.pipeline} {...(found !== undefined && { actions: <Links found={found} /> })}>
      {error !== undefined && error !== null && <FailureView thrown={error} />}
      {found === undefined ? (
        <>
          <p className="ar-soft ar-pipe-none">{texts.noMessage}</p>
          <ol className="ar-pipe" aria-label={texts.pipeline}>
            {stageNames.map((name) => (
              <StageRow key={name} stage={{ name, state: "waiting" }} channel={channel} totalMs={0} />
            ))}
          </ol>
        </>
      ) : (
        <>
          <Sums pipeline={found.pipeline} />
          <ol className="ar-pipe" aria-label={texts.pipeline}>
            {found.pipeline.stages.map((stage) => (
              <StageRow key={stage.name} {...{ stage, channel }} totalMs={found.pipeline.totalMs} />
            ))}
          </ol>
        </>
      )}
    </Panel>
  );
}

function Links({ found: { messageId, conversationId, invocationId } }: { found: FoundPipeline }) {
  return (
    <>
      {conversationId !== undefined && (
        <Anchor component={Link} size="sm" href={gatewayPaths.conversation(conversationId)}>
          {texts.openInbox}
        </Anchor>
      )}
      <Anchor component={Link} size="sm" href={gatewayPaths.trail(messageId)}>
        {texts.openTrail}
      </Anchor>
      {invocationId !== undefined && (
        <Anchor
          component={Link}
          size="sm"
          href={`/platform/operator/invocations/${encodeURIComponent(invocationId)}`}
        >
          {texts.openRun}
        </Anchor>
      )}
    </>
  );
}

function Sums({ pipeline: { totalMs, creditsMicros } }: { pipeline: Pipeline }) {
  return (
    <dl className="ar-facts-across ar-pipe-sums">
      <div>
        <dt>{texts.total}</dt>
        <dd>{formatDuration(totalMs)}</dd>
      </div>
      <div>
        <dt>{texts.credits}</dt>
        <dd>{creditsMicros === undefined ? "–" : creditsText(creditsMicros)}</dd>
      </div>
    </dl>
  );
}

function StageRow({
  stage,
  channel,
  totalMs,
}: {
  stage: PipelineStage;
  channel: ChannelName;
  totalMs: number;
}) {
  const { name, state, startMs, durationMs, creditsMicros, note } = stage;
  const { title, hint } = texts.stages[name];
  const share = (ms: number) => `${totalMs === 0 ? 0 : Math.min(100, (ms / totalMs) * 100)}%`;
  return (
    <li className="ar-pipe-stage" data-state={state}>
      <span className="ar-pipe-dot" aria-hidden="true" />
      <span className="ar-pipe-name">{title}</span>
      <span className="ar-pipe-state">{texts.states[state]}</span>
      <span className="ar-pipe-times ar-soft">
        {creditsMicros !== undefined && <span>{texts.creditsOf(creditsText(creditsMicros))}</span>}
        {durationMs !== undefined && <strong>{formatDuration(durationMs)}</strong>}
        {startMs !== undefined && <span>+{formatDuration(startMs)}</span>}
      </span>
      <span className="ar-pipe-note ar-soft ar-break">
        {note === undefined ? hint : noteText(note, channelTexts[channel])}
      </span>
      {startMs !== undefined && (
        <span className="ar-pipe-bar" aria-hidden="true">
          <span style={{ marginInlineStart: share(startMs), width: share(durationMs ?? 0) }} />
        </span>
      )}
    </li>
  );
}

function noteText(note: StageNote, channel: string): string {
  switch (note.kind) {
    case "duplicate":
      return texts.duplicate(note.times);
    case "outcome":
      return note.outcome === "forwarded" ? trailTexts.events.forwarded : trailTexts.outcome(note.outcome);
    case "calls":
      return texts.calls(note.count, note.subjects);
    case "no_receipts":
      return texts.noReceipts(channel);
    case "no_trace":
      return texts.noTrace;
    case "receipt":
      return texts.receipt[note.event];
    case "error": {
      const { text, advice } = plainReason(note.error);
      return advice === undefined ? text : `${text} ${advice}`;
    }
  }
}
