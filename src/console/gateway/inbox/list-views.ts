import type { ConversationQuery } from "../../../contracts/gateway/client.ts";

/** What a list of conversations shows first: who has to do something. */
export const listViews = ["all", "needs", "undelivered", "mine", "nobody", "unread"] as const;
export type ListView = (typeof listViews)[number];

/** Views that count; without a name, nothing is a person's own. */
export const countedViews = (me: string | undefined): readonly ListView[] =>
  listViews.filter((view) => view !== "all" && (view !== "mine" || me !== undefined));

/** Returns the part of the query that a view stands for. */
export function queryOfView(view: ListView, me: string | undefined): ConversationQuery {
  switch (view) {
    case "all":
      return {};
    case "needs":
      return { needs_person: true };
    case "undelivered":
      return { undelivered: true };
    case "mine":
      return { assignee: me ?? "" };
    case "nobody":
      return { assignee: "" };
    case "unread":
      return { unread: true };
  }
}
