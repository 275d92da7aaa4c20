import { Button } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { History } from "../../../../contracts/daemon/memory/memory.ts";
import { Panel } from "../../../parts/layout/panel.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { cursorPages, readNextPage } from "../../../parts/tables/list-pages.ts";
import { NextPageFailure } from "../../../parts/tables/next-page.tsx";
import { formatNumber } from "../../../parts/text/format.ts";
import { Instant } from "../../../parts/text/instant.tsx";
import { Markdown } from "../../../parts/text/markdown.tsx";
import { sessionTexts as texts } from "../../../texts/studio/resources.ts";
import { useDaemon } from "../../use-daemon.ts";
import { memoryKeys } from "../memory-paths.ts";

const pageMessages = 50;

/** Messages of a session, oldest first; older messages load on demand. */
export function MessageList({ agent, session }: { agent: string; session: string }) {
  const daemon = useDaemon();
  const query = useInfiniteQuery(
    cursorPages(
      memoryKeys.history(agent, session),
      (page) => daemon.history(agent, session, { full: true, ...page }),
      pageMessages,
    ),
  );
  return (
    <Panel title={texts.messages}>
      <NextPageFailure query={query} />
      {query.hasNextPage && (
        <Button
          size="xs"
          variant="default"
          mb="sm"
          loading={query.isFetchingNextPage}
          onClick={() => void readNextPage(query)}
        >
          {texts.older}
        </Button>
      )}
      <Loaded query={query}>{({ pages }) => <Messages pages={pages} />}</Loaded>
    </Panel>
  );
}

function Messages({ pages }: { pages: readonly History[] }) {
  const messages = pages.toReversed().flatMap((page) => page.messages);
  const summary = pages[0]?.summary;
  return (
    <>
      {summary !== undefined && <SummaryView summary={summary} />}
      {messages.length === 0 ? (
        <span className="ar-soft">{texts.none}</span>
      ) : (
        <ol className="ar-turns">
          {messages.map((message, at) => (
            <MessageView key={message.seq ?? `at ${at}`} message={message} />
          ))}
        </ol>
      )}
    </>
  );
}

function MessageView({ message }: { message: History["messages"][number] }) {
  const { role, content, timestamp, token_count } = message;
  return (
    <li className="ar-turn" data-role={role}>
      <div className="ar-turn-head">
        <strong>{texts.roles[role] ?? role}</strong>
        <span className="ar-soft">
          {timestamp !== undefined && <Instant iso={timestamp} />}
          {token_count !== undefined && ` · ${texts.tokens(formatNumber(token_count))}`}
        </span>
      </div>
      {role === "assistant" ? <Markdown text={content} /> : <div className="ar-break">{content}</div>}
    </li>
  );
}

function SummaryView({ summary }: { summary: NonNullable<History["summary"]> }) {
  return (
    <div className="ar-turn" data-role="summary">
      <div className="ar-turn-head">
        <strong>{texts.summary}</strong>
        <span className="ar-soft">
          {texts.summaryNote(formatNumber(summary.up_to_seq), formatNumber(summary.token_count))}
        </span>
      </div>
      <div className="ar-break">{summary.text}</div>
    </div>
  );
}
