import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AgentSummary } from "../../../contracts/daemon/agents.ts";
import { Icon } from "../../parts/icon.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { useAutoScroll } from "../../runs/use-auto-scroll.ts";
import { useEscape } from "../../runs/use-escape.ts";
import { playTexts as texts } from "../../texts/studio/runs.ts";
import { useDaemon } from "../use-daemon.ts";
import { type ComposedQuestion, Composer } from "./composer.tsx";
import { LaneHeader } from "./lanes/lane-header.tsx";
import { hasReadableNumbers, laneOverride } from "./lanes/lane-override.ts";
import { type Lane, lanesMax, useLanes } from "./lanes/use-lanes.ts";
import { RoundView } from "./round-view.tsx";
import { useConversation } from "./use-conversation.ts";

interface PlayProps {
  agents: readonly AgentSummary[];
  models: readonly string[];
}

/** The columns, their questions and answers, and the field for the next question. */
export function Play({ agents, models }: PlayProps) {
  const { conversation, rounds } = useConversation();
  const first = agents.find(({ status }) => status === "ready");
  const { lanes, read, write, change, add, remove, single, beginSessions, forgetSessions } = useLanes(
    first?.name,
  );
  const [opened] = useState(lanes);
  const { isFollowing, toEnd, follow } = useAutoScroll(rounds.length === 0 ? undefined : rounds);
  const isRunning = rounds.some(({ runs }) => runs.some(({ state }) => state.phase === "running"));
  const isCompared = lanes.length > 1;
  useEscape(isRunning, conversation.stop);

  const ask = ({ query, context, record }: ComposedQuestion) => {
    const asked = beginSessions({ query: "" }).map(({ number, agent, session, settings }) => {
      const override = laneOverride(settings);
      const wishes = {
        // What is tried here must not reach the prompts of other runs.
        remember: "conversation" as const,
        ...(record ? { record } : {}),
        trace_content: record,
        source: "playground" as const,
        ...(context === undefined ? {} : { context }),
        ...(override === undefined ? {} : { override }),
      };
      return { lane: number, agent, request: { query, session_id: session, ...wishes } };
    });
    conversation.ask(query, asked);
    toEnd();
  };
  const begin = () => {
    conversation.clear();
    forgetSessions();
  };
  /** Returns true if the column's session was in the address when the page was opened. */
  const isEarlier = ({ number, session }: Lane) => session !== "" && opened[number]?.session === session;
  const isRaw = read("view") === "raw";
  return (
    <div className="ar-play">
      <PageHeader title={texts.title} lead={texts.lead}>
        <Button
          variant="default"
          leftSection={<Icon name="compare" />}
          aria-pressed={isCompared}
          onClick={() => {
            if (isCompared) return single();
            conversation.clear();
            add();
          }}
        >
          {isCompared ? texts.single : texts.compare}
        </Button>
        {isCompared && lanes.length < lanesMax && (
          <Button
            variant="default"
            leftSection={<Icon name="plus" />}
            onClick={() => {
              conversation.clear();
              add();
            }}
          >
            {texts.addColumn}
          </Button>
        )}
        <Button variant="default" leftSection={<Icon name="plus" />} onClick={begin}>
          {texts.newConversation}
        </Button>
      </PageHeader>
      <div className="ar-lanes" data-lanes={lanes.length}>
        {lanes.map((lane) => (
          <LaneHeader
            key={lane.number}
            lane={lane}
            isCompared={isCompared}
            agents={agents}
            models={models}
            change={(wish) => change(lane.number, wish)}
            remove={() => {
              conversation.clear();
              remove(lane.number);
            }}
          />
        ))}
      </div>
      {lanes.some(isEarlier) && (
        <div className="ar-lanes" data-lanes={lanes.length}>
          {lanes.map((lane) =>
            isEarlier(lane) ? (
              <EarlierTurns key={lane.number} agent={lane.agent} session={lane.session} />
            ) : (
              <div key={lane.number} />
            ),
          )}
        </div>
      )}
      {rounds.length === 0 ? (
        <EmptyState title={texts.beginTitle} text={isCompared ? texts.beginCompare : texts.begin} />
      ) : (
        <ol className="ar-rounds">
          {rounds.map((round) => (
            <RoundView
              key={round.key}
              round={round}
              isRaw={isRaw}
              conversation={conversation}
              grown={follow}
            />
          ))}
        </ol>
      )}
      <div className="ar-play-foot">
        {!isFollowing && isRunning && (
          <Button size="compact-sm" variant="default" className="ar-to-end" onClick={toEnd}>
            {texts.toEnd}
          </Button>
        )}
        <Composer
          initial={read("query")}
          isRunning={isRunning}
          canAsk={lanes.every(({ agent, settings }) => agent !== "" && hasReadableNumbers(settings))}
          isRaw={isRaw}
          setRaw={(wanted) => write({ view: wanted ? "raw" : "" })}
          ask={ask}
          stop={() => conversation.stop()}
        />
      </div>
    </div>
  );
}

/** Messages of the session from before this page was opened, from the agent's memory. Renders nothing until they are loaded. */
function EarlierTurns({ agent, session }: { agent: string; session: string }) {
  const daemon = useDaemon();
  const { data } = useQuery({
    queryKey: ["daemon", "memory", agent, "history", session, "earlier"],
    queryFn: () => daemon.history(agent, session, { limit: 100 }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (data === undefined || data.messages.length === 0) return <div />;
  return (
    <details className="ar-step ar-earlier" open>
      <summary>{texts.earlier(data.messages.length)}</summary>
      <ol>
        {data.messages.map(({ role, content }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: read once
          <li key={at}>
            <div className="ar-label">{texts.roles[role] ?? role}</div>
            <div className="ar-break">{content}</div>
          </li>
        ))}
      </ol>
    </details>
  );
}
