import { Alert, Button, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ContextView } from "../../../../contracts/daemon/memory/context-window.ts";
import { useUrlState } from "../../../parts/address/use-url-state.ts";
import { Icon } from "../../../parts/icon.tsx";
import { Figures } from "../../../parts/layout/figures.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { formatNumber, formatPercent } from "../../../parts/text/format.ts";
import { contextTexts as texts } from "../../../texts/studio/resources.ts";
import { useDaemon } from "../../use-daemon.ts";
import { memoryKeys } from "../memory-paths.ts";
import { ContextGroups } from "./context-groups.tsx";
import { contextShares } from "./context-shares.ts";

/** The context that a model would get for the next message of the session, with the size of each part. */
export function ContextPanel({ agent, session }: { agent: string; session: string }) {
  const daemon = useDaemon();
  const [asked, setAsked] = useUrlState("ask");
  const [written, setWritten] = useState(asked);
  const query = useQuery({
    queryKey: [...memoryKeys.context(agent, session), asked],
    queryFn: () => daemon.contextWindow(agent, session, asked === "" ? undefined : asked),
    placeholderData: (before) => before,
  });
  return (
    <Panel title={texts.title}>
      <form
        className="ar-context-ask"
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(written);
        }}
      >
        <TextInput
          label={texts.query}
          description={texts.queryHint}
          value={written}
          onChange={(event) => setWritten(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" loading={query.isFetching}>
          {texts.show}
        </Button>
      </form>
      <Loaded query={query}>{(view) => <WindowView view={view} />}</Loaded>
    </Panel>
  );
}

function WindowView({ view }: { view: ContextView }) {
  const { used_tokens, used_share, window_tokens, reserved, turns, faults } = view;
  return (
    <>
      <Figures
        figures={[
          {
            label: texts.used,
            value: formatNumber(used_tokens),
            note: texts.usedNote(formatPercent(used_share), formatNumber(window_tokens)),
          },
          {
            label: texts.reserved,
            value: formatNumber(reserved.answer_tokens + reserved.tool_result_tokens),
            note: texts.reservedNote(
              formatNumber(reserved.answer_tokens),
              formatNumber(reserved.tool_result_tokens),
            ),
          },
          {
            label: texts.turns,
            value: formatNumber(turns.kept),
            note: texts.turnsNote(formatNumber(turns.total), turns.strategy),
          },
        ]}
      />
      {used_share > 1 && <Note text={texts.tooMuch} />}
      {turns.left_out_by_strategy > 0 && (
        <Note text={texts.leftOutByStrategy(turns.left_out_by_strategy, turns.strategy)} />
      )}
      {turns.left_out_by_window > 0 && <Note text={texts.leftOutByWindow(turns.left_out_by_window)} />}
      {faults.map((fault) => (
        <Note key={fault} title={texts.faults} text={fault} />
      ))}
      <ContextGroups groups={contextShares(view)} />
    </>
  );
}

function Note({ title, text }: { title?: string; text: string }) {
  return (
    <Alert variant="outline" className="ar-warning" icon={<Icon name="warn" />} mb="sm" title={title}>
      <span className="ar-break">{text}</span>
    </Alert>
  );
}
