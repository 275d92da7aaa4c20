import { Button, Stack } from "@mantine/core";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useUrlFields } from "../../../parts/address/use-url-state.ts";
import { Confirm } from "../../../parts/dialogs/confirm.tsx";
import { Panel } from "../../../parts/layout/panel.tsx";
import { notify } from "../../../parts/notices.tsx";
import { formatInstant, formatPercent } from "../../../parts/text/format.ts";
import { recallTexts as texts } from "../../../texts/studio/resources.ts";
import { useDaemon } from "../../use-daemon.ts";
import { memoryKeys } from "../memory-paths.ts";
import { AddTextDialog } from "./add-text-dialog.tsx";
import { RecallFilter } from "./recall-filter.tsx";
import { RecallItem } from "./recall-item.tsx";
import { RecallList } from "./recall-list.tsx";

const pageTexts = 50;
const bestTexts = 20;

/** Texts that an agent remembers: all of them, or those similar to a question. */
export function TextsView({ agent }: { agent: string }) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [filter, setFilter] = useUrlFields(["find", "session", "user"]);
  const { find: search, session, user } = filter;
  const [isAdding, setAdding] = useState(false);
  const [forgotten, forget] = useState<ShownText>();
  const selection = { ...(session === "" ? {} : { session_id: session }), ...(user === "" ? {} : { user }) };
  const list = useInfiniteQuery<{ texts: readonly ShownText[]; next_cursor?: string }>({
    queryKey: [...memoryKeys.texts(agent), search, session, user],
    initialPageParam: "",
    queryFn: async ({ pageParam }) => {
      const cursor = pageParam === "" ? {} : { cursor: String(pageParam) };
      if (search === "") return daemon.listMemory(agent, { ...selection, limit: pageTexts, ...cursor });
      const { results } = await daemon.searchMemory(agent, { ...selection, query: search, top_k: bestTexts });
      // For texts from runs, the id is in the metadata.
      return {
        texts: results.map((one) =>
          typeof one.metadata.id === "string" ? { ...one, id: one.metadata.id } : one,
        ),
      };
    },
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
  const changed = () => queries.invalidateQueries({ queryKey: memoryKeys.texts(agent) });
  const found = list.data?.pages.flatMap((page) => page.texts);
  const isNarrowed = search !== "" || session !== "" || user !== "";
  return (
    <Stack gap="md">
      <RecallFilter
        fields={[
          { name: "find", label: texts.search, description: texts.searchHint },
          { name: "session", label: texts.bySession },
          { name: "user", label: texts.byUser },
        ]}
        values={filter}
        set={setFilter}
      />
      <Panel
        title={texts.list}
        actions={
          <Button size="xs" variant="default" onClick={() => setAdding(true)}>
            {texts.add}
          </Button>
        }
      >
        <RecallList list={list} count={found?.length} empty={isNarrowed ? texts.noMatch : texts.noTexts}>
          {found?.map((shown, at) => {
            const { session: from, facts } = textFacts(shown);
            return (
              <RecallItem
                key={shown.id ?? `at ${at}`}
                agent={agent}
                text={shown.text}
                session={from}
                facts={facts}
                forget={shown.id === undefined ? undefined : () => forget(shown)}
              />
            );
          })}
        </RecallList>
      </Panel>
      {isAdding && <AddTextDialog agent={agent} added={changed} close={() => setAdding(false)} />}
      {forgotten?.id !== undefined && (
        <Confirm
          opened
          title={texts.forgetText}
          text={texts.forgetNote}
          action={texts.deleteText}
          onClose={() => forget(undefined)}
          onConfirm={async () => {
            await daemon.forgetMemory(agent, { id: forgotten.id ?? "" });
            await changed();
            notify(texts.forgotten);
          }}
        />
      )}
    </Stack>
  );
}

/** A remembered text, from a list or a search. */
interface ShownText {
  id?: string;
  text: string;
  metadata: Record<string, unknown>;
  score?: number;
  source?: string;
}

/** Returns the facts below a remembered text: its similarity to the question, its speaker, session and time. */
function textFacts({ score, metadata }: ShownText): { session?: string; facts: string[] } {
  const read = (key: string) => {
    const value = metadata[key];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const facts: string[] = [];
  if (score !== undefined) facts.push(texts.score(formatPercent(score)));
  for (const key of ["role", "user", "source"] as const) {
    const value = read(key);
    if (value !== undefined) facts.push(`${texts.facts[key]}: ${value}`);
  }
  const { piece, pieces } = metadata;
  if (typeof piece === "number" && typeof pieces === "number") {
    facts.push(`${texts.facts.piece} ${piece} / ${pieces}`);
  }
  const timestamp = read("timestamp");
  if (timestamp !== undefined && !Number.isNaN(Date.parse(timestamp))) facts.push(formatInstant(timestamp));
  const session = read("session_id");
  return { facts, ...(session === undefined ? {} : { session }) };
}
