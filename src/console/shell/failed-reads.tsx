import { Alert, Button, List } from "@mantine/core";
import { type Query, type QueryCache, useQueryClient } from "@tanstack/react-query";
import { useCallback, useState, useSyncExternalStore } from "react";
import { refusalOf } from "../../contracts/refusal.ts";
import { Unreachable } from "../api/console-fetch.ts";
import { useConnectionLost, useServer } from "../api/use-server.tsx";
import { Icon } from "../parts/icon.tsx";
import { shellTexts as texts } from "../texts/shell.ts";

/** Statuses that are answers about the thing or the input itself: the part that asked shows them in its own words. */
const answers: ReadonlySet<number | undefined> = new Set([400, 404, 409, 410, 422]);

/** Reports failed reads of the page that no part of it shows, so that what is missing does not look empty. */
export function FailedReads() {
  const { explained } = useServer();
  const isLost = useConnectionLost();
  const queries = useQueryClient();
  const cache = queries.getQueryCache();
  const [isRetrying, setRetrying] = useState(false);
  const subscribe = useCallback(
    (listener: () => void) => {
      const ends = [cache.subscribe(listener), explained.subscribe(listener)];
      return () => ends.forEach((end) => void end());
    },
    [cache, explained],
  );
  const unexplained = () =>
    failedReads(cache).filter(
      ({ state: { error } }) => !explained.isShown(error) && !(isLost && error instanceof Unreachable),
    );
  // A text, so that a change elsewhere in the cache renders nothing.
  const failing = useSyncExternalStore(subscribe, () =>
    unexplained()
      .map(({ queryHash, state }) => `${queryHash} ${state.errorUpdateCount}`)
      .join("\n"),
  );
  if (failing === "") return null;
  const reads = unexplained();
  const reasons = new Set(reads.map(({ state: { error } }) => messageOf(error)));
  const isMissing = reads.some(({ state: { data } }) => data === undefined);
  const retry = async () => {
    setRetrying(true);
    const hashes = new Set(reads.map(({ queryHash }) => queryHash));
    await queries.refetchQueries({ predicate: ({ queryHash }) => hashes.has(queryHash) });
    setRetrying(false);
  };
  return (
    <Alert
      role="alert"
      color="red"
      variant="outline"
      className="ar-failure"
      mb="md"
      icon={<Icon name="warn" />}
      title={isMissing ? texts.partMissing : texts.partOutdated}
    >
      <List size="sm" listStyleType="none">
        {[...reasons].map((reason) => (
          <List.Item key={reason} className="ar-break">
            {reason}
          </List.Item>
        ))}
      </List>
      <Button size="xs" variant="default" mt="xs" loading={isRetrying} onClick={() => void retry()}>
        {texts.retry}
      </Button>
    </Alert>
  );
}

/** Returns the reads of parts on the screen whose last attempt failed. */
function failedReads(cache: QueryCache): Query[] {
  return cache
    .getAll()
    .filter(
      (query) =>
        query.isActive() &&
        query.state.status === "error" &&
        !answers.has(refusalOf(query.state.error)?.status),
    );
}

const messageOf = (thrown: unknown): string =>
  refusalOf(thrown)?.message ?? (thrown instanceof Error ? thrown.message : String(thrown));
