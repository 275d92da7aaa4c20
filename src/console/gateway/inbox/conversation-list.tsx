import { Button, SegmentedControl, Select } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { ListedConversation } from "../../../contracts/gateway/admin.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { offsetPages, readNextPage } from "../../parts/tables/list-pages.ts";
import { NextPageFailure } from "../../parts/tables/next-page.tsx";
import { escapeUnseenName } from "../../parts/text/escape-unseen.ts";
import { Instant } from "../../parts/text/instant.tsx";
import { inboxTexts as texts } from "../../texts/gateway/inbox.ts";
import { ChannelMark } from "../channel-label.tsx";
import { GatewayFilters, useGatewayFilter } from "../gateway-filters.tsx";
import { gatewayPaths } from "../gateway-paths.ts";
import { SearchField } from "../search-field.tsx";
import { useGateway } from "../use-gateway.ts";
import { usePerson } from "./use-person.ts";

const views = ["all", "unread", "human", "bot"] as const;
type View = (typeof views)[number];
const desks = ["needs", "mine", "nobody", "open", "snoozed", "resolved"] as const;
type Desk = (typeof desks)[number];

const pageRows = 50;

interface ConversationListProps {
  chosen: string;
  choose: (id: string) => void;
}

/** Conversations, the most recent first, with filters. */
export function ConversationList({ chosen, choose }: ConversationListProps) {
  const gateway = useGateway();
  const filter = useGatewayFilter();
  const [shown, show] = useUrlState("view");
  const [search, setSearch] = useUrlState("q");
  const [deskShown, showDesk] = useUrlState("desk");
  const me = usePerson();
  const desk = desks.find((name) => name === deskShown && (name !== "mine" || me !== undefined));
  const view: View = views.find((name) => name === shown) ?? "all";
  const wanted = {
    ...filter,
    ...(search !== "" && { q: search }),
    ...(view === "unread" && { unread: true }),
    ...(desk !== undefined && deskQuery(desk, me)),
    ...((view === "human" || view === "bot") && { mode: view }),
  };
  const isFiltered = Object.keys(wanted).length > 0;
  const query = useInfiniteQuery({
    ...offsetPages(
      ["gateway", "conversations", wanted],
      (page) => gateway.listConversations({ ...wanted, ...page }),
      pageRows,
    ),
    placeholderData: keepPreviousData,
  });
  return (
    <section className="ar-inbox-side" aria-label={texts.list}>
      <div className="ar-inbox-filters">
        <SegmentedControl
          fullWidth
          size="xs"
          aria-label={texts.view}
          value={view}
          data={views.map((value) => ({ value, label: texts.views[value] }))}
          onChange={(value) => show(value === "all" ? "" : value)}
        />
        <Select
          size="xs"
          aria-label={texts.desk}
          placeholder={texts.anyState}
          clearable
          clearButtonProps={{ "aria-label": texts.anyState }}
          data={desks
            .filter((value) => value !== "mine" || me !== undefined)
            .map((value) => ({ value, label: texts.desks[value] }))}
          value={desk ?? null}
          onChange={(value) => showDesk(value ?? "")}
        />
        <SearchField label={texts.search} value={search} change={setSearch} />
        <GatewayFilters />
      </div>
      <Loaded query={query} rows={6}>
        {({ pages }) => (
          <>
            <Rows
              rows={distinct(pages.flatMap(({ conversations }) => conversations))}
              {...{ chosen, choose }}
            >
              {isFiltered ? (
                <EmptyState text={view === "unread" ? texts.allRead : texts.noMatch} />
              ) : (
                <EmptyState title={texts.noneTitle} text={texts.none}>
                  <Button component={Link} href={gatewayPaths.phone()} variant="light" size="xs">
                    {texts.tryPhone}
                  </Button>
                </EmptyState>
              )}
            </Rows>
            <NextPageFailure query={query} />
            {query.hasNextPage && (
              <Button
                variant="subtle"
                size="xs"
                fullWidth
                loading={query.isFetchingNextPage}
                onClick={() => void readNextPage(query)}
              >
                {texts.more}
              </Button>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function deskQuery(desk: Desk, me: string | undefined) {
  if (desk === "needs") return { needs_person: true };
  if (desk === "nobody") return { assignee: "" };
  return desk === "mine" ? { assignee: me ?? "" } : { state: desk };
}

const distinct = (rows: readonly ListedConversation[]): ListedConversation[] => [
  ...new Map(rows.map((row) => [row.id, row])).values(),
];

interface RowsProps extends ConversationListProps {
  rows: readonly ListedConversation[];
  /** Shown if there are none. */
  children: React.ReactNode;
}

function Rows({ rows, chosen, choose, children }: RowsProps) {
  if (rows.length === 0) return <>{children}</>;
  return (
    <ul className="ar-inbox-rows">
      {rows.map((row) => (
        <li key={row.id}>
          <button
            type="button"
            className="ar-inbox-row"
            aria-current={row.id === chosen ? "true" : undefined}
            data-unread={(row.unread > 0 && row.id !== chosen) || undefined}
            onClick={() => choose(row.id)}
          >
            <ChannelMark channel={row.channel} />
            <span className="ar-inbox-who" dir="auto">
              {escapeUnseenName(row.contact_name ?? row.external_user)}
            </span>
            <span className="ar-soft ar-inbox-when">
              <Instant iso={row.last_message_at} />
            </span>
            <span className="ar-inbox-last ar-soft" dir="auto">
              {row.needs_person !== null && (
                <span className="ar-inbox-needs" dir="ltr">
                  {texts.needsShort}
                </span>
              )}
              {row.state !== "open" && (
                <span className="ar-inbox-held" dir="ltr">
                  {texts.states[row.state]}
                </span>
              )}
              {row.mode === "human" && (
                <span className="ar-inbox-held" dir="ltr">
                  {texts.held}
                </span>
              )}
              {lastText(row)}
            </span>
            {row.unread > 0 && row.id !== chosen && (
              <span className="ar-inbox-count">
                <span aria-hidden="true">{row.unread > 99 ? "99+" : row.unread}</span>
                <span className="ar-unseen">{texts.unread(row.unread)}</span>
              </span>
            )}
          </button>
        </li>
      ))}
    </ul>
  );
}

function lastText({ last_message }: ListedConversation): string {
  if (last_message === null) return "";
  const { direction, kind, text } = last_message;
  const said = text.trim() === "" ? texts.kindOf(kind) : text;
  return direction === "outbound" ? texts.you(said) : said;
}
