import { Button, Select, TextInput } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { conversationStates } from "../../../contracts/gateway/desk.ts";
import { formatCompact } from "../../parts/text/format.ts";
import { inboxTexts as texts } from "../../texts/gateway/inbox.ts";
import { GatewayFilters } from "../gateway-filters.tsx";
import { SearchField } from "../search-field.tsx";
import { useGateway } from "../use-gateway.ts";
import { countedViews, type ListView, queryOfView } from "./list-views.ts";
import { answerModes, type InboxFilter } from "./use-inbox-filter.ts";

/** How many conversations each view has, under the other filters. */
export const countsKey = ["gateway", "counts"] as const;
const countsMs = 20_000;

/** Views with their counts, and the filters below them. */
export function ListFilters({ filter }: { filter: InboxFilter }) {
  const counts = useCounts(filter);
  const active = Object.keys(filter.base).length;
  const [isOpen, open] = useState(active > 0);
  return (
    <div className="ar-inbox-filters">
      <fieldset className="ar-inbox-views" aria-label={texts.view}>
        {(["all", ...countedViews(filter.me)] as const).map((view) => {
          const count = counts.get(view);
          return (
            <button
              key={view}
              type="button"
              aria-pressed={view === filter.view}
              data-view={view}
              data-some={(count ?? 0) > 0 || undefined}
              onClick={() => filter.show(view)}
            >
              {texts.views[view]}
              {count !== undefined && <span> {formatCompact(count)}</span>}
            </button>
          );
        })}
      </fieldset>
      <div className="ar-inbox-search">
        <SearchField label={texts.search} value={filter.search} change={filter.setSearch} />
        <Button size="sm" variant="default" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
          {texts.filters}
          {active > 0 && ` (${active})`}
        </Button>
      </div>
      {isOpen && <Fields filter={filter} />}
    </div>
  );
}

function Fields({ filter }: { filter: InboxFilter }) {
  return (
    <>
      <div className="ar-inbox-selects">
        <Select
          size="xs"
          aria-label={texts.state}
          placeholder={texts.anyState}
          clearable
          clearButtonProps={{ "aria-label": texts.anyState }}
          data={conversationStates.map((value) => ({ value, label: texts.states[value] }))}
          value={filter.state ?? null}
          onChange={(value) => filter.setState(value ?? "")}
        />
        <Select
          size="xs"
          aria-label={texts.mode}
          placeholder={texts.anyMode}
          clearable
          clearButtonProps={{ "aria-label": texts.anyMode }}
          data={answerModes.map((value) => ({ value, label: texts.answeredBy[value] }))}
          value={filter.mode ?? null}
          onChange={(value) => filter.setMode(value ?? "")}
        />
        <LabelField value={filter.label} change={filter.setLabel} />
      </div>
      <GatewayFilters />
    </>
  );
}

function useCounts({ base, me }: InboxFilter): ReadonlyMap<ListView, number | undefined> {
  const gateway = useGateway();
  const views = countedViews(me);
  const read = useQueries({
    queries: views.map((view) => ({
      queryKey: [...countsKey, base, view],
      queryFn: () => gateway.listConversations({ ...base, ...queryOfView(view, me), limit: 1 }),
      refetchInterval: countsMs,
    })),
  });
  return new Map(views.map((view, at) => [view, read[at]?.data?.total]));
}

/** A whole label: it filters on Enter, or when the field loses the focus. */
function LabelField({ value, change }: { value: string; change: (label: string) => void }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const take = () => change(typed.trim());
  return (
    <TextInput
      size="xs"
      aria-label={texts.label}
      placeholder={texts.anyLabel}
      maxLength={50}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={take}
      onKeyDown={(event) => {
        if (event.key === "Enter") take();
      }}
    />
  );
}
