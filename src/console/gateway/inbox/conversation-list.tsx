import { Button } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { ListedConversation } from "../../../contracts/gateway/admin.ts";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { offsetPages, readNextPage } from "../../parts/tables/list-pages.ts";
import { NextPageFailure } from "../../parts/tables/next-page.tsx";
import { useTenantNames } from "../../tenants/use-tenant-names.ts";
import { inboxTexts as texts } from "../../texts/gateway/inbox.ts";
import { gatewayPaths } from "../gateway-paths.ts";
import { useDesk, useGateway } from "../use-gateway.ts";
import { ConversationRow } from "./conversation-row.tsx";
import { ListFilters } from "./list-filters.tsx";
import { useInboxFilter } from "./use-inbox-filter.ts";

const pageRows = 50;

interface ConversationListProps {
  chosen: string;
  choose: (id: string) => void;
}

/** Conversations, the most recent first, with filters. */
export function ConversationList({ chosen, choose }: ConversationListProps) {
  const gateway = useGateway();
  const desk = useDesk();
  const filter = useInboxFilter();
  const { wanted } = filter;
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
      <ListFilters filter={filter} />
      <Loaded query={query} rows={6}>
        {({ pages }) => (
          <>
            <Rows
              rows={distinct(pages.flatMap(({ conversations }) => conversations))}
              isOfOneTenant={wanted.tenant !== undefined || desk !== undefined}
              {...{ chosen, choose }}
            >
              {isFiltered ? (
                <EmptyState text={filter.view === "unread" ? texts.allRead : texts.noMatch} />
              ) : (
                <EmptyState title={texts.noneTitle} text={texts.none}>
                  {desk === undefined && (
                    <Button component={Link} href={gatewayPaths.phone()} variant="light" size="xs">
                      {texts.tryPhone}
                    </Button>
                  )}
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

const distinct = (rows: readonly ListedConversation[]): ListedConversation[] => [
  ...new Map(rows.map((row) => [row.id, row])).values(),
];

interface RowsProps extends ConversationListProps {
  rows: readonly ListedConversation[];
  isOfOneTenant: boolean;
  /** Shown if there are none. */
  children: React.ReactNode;
}

function Rows({ rows, isOfOneTenant, chosen, choose, children }: RowsProps) {
  const names = useTenantNames(isOfOneTenant ? [] : rows.map(({ tenant_id }) => tenant_id));
  if (rows.length === 0) return <>{children}</>;
  return (
    <ul className="ar-inbox-rows">
      {rows.map((row) => (
        <li key={row.id}>
          <ConversationRow
            row={row}
            isChosen={row.id === chosen}
            tenant={isOfOneTenant ? undefined : (names.get(row.tenant_id) ?? row.tenant_id)}
            choose={() => choose(row.id)}
          />
        </li>
      ))}
    </ul>
  );
}
