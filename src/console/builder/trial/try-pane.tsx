import { Button, Group, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import type { YamlReading } from "../../../manifest/yaml/read-yaml.ts";
import { isSendKey } from "../../parts/inputs/send-key.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { ProblemList } from "../../parts/states/problem-list.tsx";
import { Markdown } from "../../parts/text/markdown.tsx";
import { trialTexts as texts } from "../../texts/builder.ts";
import type { ManifestVerdict } from "../editor/use-manifest-check.ts";
import { useHost } from "../host.ts";
import { nameIn } from "../manifest/manifest-checks.ts";
import { type TrialTurn, useTrial } from "./use-trial.ts";

interface TryPaneProps {
  text: string;
  reading: YamlReading;
  verdict: ManifestVerdict;
}

/** Asks the agent as it is written, beside its form. */
export function TryPane({ text, reading, verdict }: TryPaneProps) {
  const { trial, noTrial } = useHost();
  const { turns, isRunning, ask, stop, clear } = useTrial(trial);
  const [query, setQuery] = useState("");
  const value = "value" in reading ? reading.value : undefined;
  const fault = faultOf(verdict);
  const isReady = value !== undefined && fault === undefined && !isRunning && query.trim() !== "";
  if (trial === undefined) {
    return (
      <Panel title={texts.title}>
        <EmptyState text={noTrial ?? texts.empty} />
      </Panel>
    );
  }
  const send = () => {
    if (!isReady || value === undefined) return;
    void ask({ query, text, value });
    setQuery("");
  };
  return (
    <Panel
      title={texts.title}
      actions={
        turns.length > 0 &&
        !isRunning && (
          <Button size="compact-sm" variant="subtle" onClick={clear}>
            {texts.clear}
          </Button>
        )
      }
    >
      <div className="ar-stack">
        {turns.length === 0 ? (
          <EmptyState text={texts.empty} />
        ) : (
          <div className="ar-stack ar-trial" role="log" aria-label={texts.conversation}>
            {turns.map((turn, at) => (
              <TurnView
                key={turn.key}
                turn={turn}
                before={turns[at - 1]}
                agent={value === undefined ? "" : (nameIn(value) ?? "")}
              />
            ))}
          </div>
        )}
        {verdict.missing.length > 0 && (
          <section aria-label={texts.needs}>
            <Text size="sm">{texts.needs}</Text>
            <ProblemList problems={verdict.missing} />
          </section>
        )}
        <form
          onSubmit={(event) => {
            event.preventDefault();
            send();
          }}
        >
          <Textarea
            aria-label={texts.question}
            placeholder={texts.placeholder}
            autosize
            minRows={2}
            maxRows={8}
            value={query}
            onChange={(event) => setQuery(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (!isSendKey(event)) return;
              event.preventDefault();
              send();
            }}
          />
          <Group justify="space-between" mt="xs" wrap="nowrap">
            <Text size="xs" className="ar-soft">
              {fault ?? texts.keys}
            </Text>
            {isRunning ? (
              <Button variant="default" onClick={stop}>
                {texts.stop}
              </Button>
            ) : (
              <Button type="submit" disabled={!isReady}>
                {texts.ask}
              </Button>
            )}
          </Group>
          <Text size="xs" className="ar-soft" mt={4}>
            {trial.hint}
          </Text>
        </form>
      </div>
    </Panel>
  );
}

function faultOf({ state, missing }: ManifestVerdict): string | undefined {
  if (state === "faulty") return texts.faulty;
  if (state !== "valid") return texts.later;
  return missing.length > 0 ? texts.faulty : undefined;
}

interface TurnViewProps {
  turn: TrialTurn;
  before: TrialTurn | undefined;
  agent: string;
}

function TurnView({ turn, before, agent }: TurnViewProps) {
  const { Judge } = useHost();
  const { query, text, answer, tools, figures, failure, isStopped, isRunning, run } = turn;
  const isAnswered = !isRunning && answer !== "" && failure === undefined && isStopped === undefined;
  return (
    <article className="ar-trial-turn">
      {before !== undefined && before.text !== text && (
        <Text size="xs" className="ar-soft ar-trial-change">
          {texts.changed}
        </Text>
      )}
      <div className="ar-trial-query ar-break">{query}</div>
      {tools.map(({ key, name }) => (
        <Text key={key} size="xs" className="ar-soft">
          {texts.tool(name)}
        </Text>
      ))}
      {answer !== "" && <Markdown text={answer} />}
      {isStopped && <Text className="ar-soft">{texts.stopped}</Text>}
      {failure !== undefined && <FailureView thrown={failure} />}
      {figures !== undefined && (
        <Text size="xs" className="ar-soft">
          {figures}
        </Text>
      )}
      {isAnswered && Judge !== undefined && <Judge agent={agent} query={query} answer={answer} run={run} />}
    </article>
  );
}
