import { Button } from "@mantine/core";
import { useState } from "react";
import type { AgentSummary } from "../../../contracts/daemon/agents.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { useEscape } from "../../runs/use-escape.ts";
import { useFollowEnd } from "../../runs/use-follow-end.ts";
import { Icon } from "../../shell/icon.tsx";
import { playTexts as texts } from "../../texts/studio-runs.ts";
import { Composer, type Question } from "./composer.tsx";
import { EarlierTurns } from "./earlier-turns.tsx";
import { LaneHead } from "./lane-head.tsx";
import { hasReadableNumbers, laneOverride } from "./lane-override.ts";
import { RoundView } from "./round-view.tsx";
import { useConversation } from "./use-conversation.ts";
import { type Lane, useLanes } from "./use-lanes.ts";

interface PlayProps {
  agents: readonly AgentSummary[];
  models: readonly string[];
}

/** One column or two, their questions and answers, and the field for the next question. */
export function Play({ agents, models }: PlayProps) {
  const { conversation, rounds } = useConversation();
  const first = agents.find(({ status }) => status === "ready");
  const { lanes, read, write, change, compare, beginSessions, forgetSessions } = useLanes(first?.name);
  const [opened] = useState(lanes);
  const { isFollowing, toEnd, follow } = useFollowEnd(rounds.length === 0 ? undefined : rounds);
  const isRunning = rounds.some(({ runs }) => runs.some(({ state }) => state.phase === "running"));
  const isCompared = lanes.length > 1;
  useEscape(isRunning, conversation.stop);

  const ask = ({ query, context, record }: Question) => {
    const asked = beginSessions({ query: "" }).map(({ number, agent, session, settings }) => {
      const override = laneOverride(settings);
      const wishes = {
        ...(record ? { record } : {}),
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
      <PageHead title={texts.title} lead={texts.lead}>
        <Button
          variant="default"
          leftSection={<Icon name="compare" />}
          aria-pressed={isCompared}
          onClick={() => {
            if (!isCompared) conversation.clear();
            compare(!isCompared);
          }}
        >
          {isCompared ? texts.single : texts.compare}
        </Button>
        <Button variant="default" leftSection={<Icon name="plus" />} onClick={begin}>
          {texts.newConversation}
        </Button>
      </PageHead>
      <div className="ar-lanes" data-lanes={lanes.length}>
        {lanes.map((lane) => (
          <LaneHead
            key={lane.number}
            lane={lane}
            isCompared={isCompared}
            agents={agents}
            models={models}
            change={(wish) => change(lane.number, wish)}
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
