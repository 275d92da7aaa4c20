import { Button, Group, SegmentedControl, Text, Textarea } from "@mantine/core";
import { useState } from "react";
import type { CloudAgent } from "../../../contracts/cloud/agents.ts";
import { isSendKey } from "../../parts/inputs/send-key.ts";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { formatDuration } from "../../parts/text/format.ts";
import { Markdown } from "../../parts/text/markdown.tsx";
import { tryTexts as texts } from "../../texts/cloud/agents.ts";
import type { OrgPageProps } from "../org-page.tsx";
import { type TryTurn, useTry } from "./use-try.ts";

/** Asks the agent: as an uncounted test, or as a counted run whose answer streams. */
export function TryPanel({ org, agent }: OrgPageProps & { agent: CloudAgent }) {
  const [mode, setMode] = useState<"test" | "stream">("test");
  const [query, setQuery] = useState("");
  const { turns, isRunning, ask, stop, clear } = useTry(org.slug, agent.name);
  if (agent.status !== "deployed") {
    return (
      <Panel title={texts.title}>
        <EmptyState text={texts.draft} />
      </Panel>
    );
  }
  const send = () => {
    if (isRunning || query.trim() === "") return;
    void ask(query, mode);
    setQuery("");
  };
  return (
    <Panel
      title={texts.title}
      actions={
        turns.length > 0 &&
        !isRunning && (
          <Button size="compact-sm" variant="subtle" onClick={clear}>
            {texts.newSession}
          </Button>
        )
      }
    >
      <div className="ar-stack">
        {agent.has_draft && (
          <Text role="note" className="ar-soft">
            {texts.publishedVersion}
          </Text>
        )}
        {turns.length > 0 && (
          <div className="ar-stack" role="log" aria-label={texts.conversation}>
            {turns.map((turn) => (
              <TurnView key={turn.id} turn={turn} />
            ))}
          </div>
        )}
        <form
          onSubmit={(event) => {
            event.preventDefault();
            send();
          }}
        >
          <Textarea
            aria-label={texts.query}
            placeholder={texts.placeholder}
            description={turns.length > 0 ? texts.session : undefined}
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
          <Group justify="space-between" mt="xs">
            <SegmentedControl
              size="xs"
              aria-label={texts.mode}
              value={mode}
              data={[
                { value: "test", label: texts.test },
                { value: "stream", label: texts.stream },
              ]}
              onChange={(value) => setMode(value === "stream" ? "stream" : "test")}
            />
            {isRunning ? (
              <Button variant="default" onClick={stop}>
                {texts.stop}
              </Button>
            ) : (
              <Button type="submit" disabled={query.trim() === ""}>
                {texts.ask}
              </Button>
            )}
          </Group>
          <Text size="xs" className="ar-soft" mt={4}>
            {mode === "test" ? texts.testHint : texts.streamHint}
          </Text>
        </form>
      </div>
    </Panel>
  );
}

function TurnView({ turn: { query, answer, tools, result, failure, isStopped } }: { turn: TryTurn }) {
  return (
    <article className="ar-cl-turn">
      <div className="ar-cl-query ar-break">{query}</div>
      {tools.map(({ id, name }) => (
        <Text key={id} size="xs" className="ar-soft">
          {texts.tool(name)}
        </Text>
      ))}
      {answer !== "" && <Markdown text={answer} />}
      {isStopped && <Text className="ar-soft">{texts.stopped}</Text>}
      {failure !== undefined && <FailureView thrown={failure} />}
      {result !== undefined && (
        <Text size="xs" className="ar-soft">
          {texts.figures(result.tokens_used, result.model, formatDuration(result.latency_ms))}
        </Text>
      )}
    </article>
  );
}
