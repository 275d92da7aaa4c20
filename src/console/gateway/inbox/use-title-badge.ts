import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useGateway } from "../use-gateway.ts";
import { countsKey } from "./list-filters.tsx";

const readMs = 30_000;

/** Shows in the window's title how many conversations have messages that the person has not read, also while the page is hidden. */
export function useTitleBadge(): void {
  const gateway = useGateway();
  const { data } = useQuery({
    queryKey: [...countsKey, {}, "unread"],
    queryFn: () => gateway.listConversations({ unread: true, limit: 1 }),
    refetchInterval: readMs,
    refetchIntervalInBackground: true,
  });
  const count = data?.total ?? 0;
  useEffect(() => {
    document.title = withCount(document.title, count);
    return () => {
      document.title = withCount(document.title, 0);
    };
  }, [count]);
}

/** Returns a title with the count before it, in place of an earlier one. */
export function withCount(title: string, count: number): string {
  const plain = title.replace(/^\(\d+\+?\) /, "");
  return count === 0 ? plain : `(${count > 99 ? "99+" : count}) ${plain}`;
}
