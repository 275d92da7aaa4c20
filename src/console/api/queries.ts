import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  QueryClient,
} from "@tanstack/react-query";
import { Unreachable } from "./console-fetch.ts";

/** Queries never refetch by a timer: an idle page costs the server nothing. */
export function createQueries(): QueryClient {
  return new LosslessQueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        networkMode: "always",
        refetchOnWindowFocus: true,
        // The connection polls by itself, and refetches everything once it is back.
        retry: (count, thrown) => count < 1 && !(thrown instanceof Unreachable) && isServerFault(thrown),
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
}

/**
 * A query client that loses no invalidation. TanStack Query drops one of a query that is being read for the first time, and its answer,
 * which may be older than the change, then counts as fresh. Here such a query is read once more when its first read has ended.
 */
class LosslessQueryClient extends QueryClient {
  override async invalidateQueries(
    filters?: InvalidateQueryFilters,
    options?: InvalidateOptions,
  ): Promise<void> {
    const unread = this.getQueryCache().findAll(filters).filter(isFirstRead);
    const again = unread.map(async (query) => {
      // How it ends is for those who show it.
      await query.promise?.catch(() => {});
      // Of several changes during the first read, the first one starts the second read, and the others wait for it.
      const only = {
        predicate: (found: Query) => found === query,
        refetchType: filters?.refetchType ?? "active",
      };
      await super.invalidateQueries(only, { ...options, cancelRefetch: false });
    });
    await Promise.all([super.invalidateQueries(filters, options), ...again]);
  }
}

const isFirstRead = ({ state }: Query): boolean => state.data === undefined && state.fetchStatus !== "idle";

function isServerFault(thrown: unknown): boolean {
  const status = (thrown as { status?: unknown } | null)?.status;
  return typeof status === "number" && status >= 500;
}
