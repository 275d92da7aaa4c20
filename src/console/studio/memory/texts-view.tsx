import { Button, Stack } from "@mantine/core";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useDaemon } from "../../api/use-server.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Panel } from "../../parts/panel.tsx";
import { say } from "../../parts/say.ts";
import { useUrlFields } from "../../parts/use-url-fields.ts";
import { recallTexts as texts } from "../../texts/studio-parts.ts";
import { AddTextDialog } from "./add-text-dialog.tsx";
import { memoryKeys } from "./memory-paths.ts";
import { RecallFilter } from "./recall-filter.tsx";
import { RecallItem } from "./recall-item.tsx";
import { RecallList } from "./recall-list.tsx";
import { type ShownText, textFacts } from "./text-facts.ts";

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
            say(texts.forgotten);
          }}
        />
      )}
    </Stack>
  );
}
