import type { ConversationQuery } from "../../../contracts/gateway/client.ts";
import { conversationStates } from "../../../contracts/gateway/desk.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { useGatewayFilter } from "../gateway-filters.tsx";
import { type ListView, listViews, queryOfView } from "./list-views.ts";
import { usePerson } from "./use-person.ts";

export const answerModes = ["human", "bot"] as const;

/** Filters of the inbox, in the page's address. */
export function useInboxFilter() {
  const ofGateway = useGatewayFilter();
  const [shown, show] = useUrlState("view");
  const [search, setSearch] = useUrlState("q");
  const [stateShown, setState] = useUrlState("state");
  const [modeShown, setMode] = useUrlState("mode");
  const [label, setLabel] = useUrlState("label");
  const me = usePerson();
  const view: ListView =
    listViews.find((name) => name === shown && (name !== "mine" || me !== undefined)) ?? "all";
  const state = conversationStates.find((name) => name === stateShown);
  const mode = answerModes.find((name) => name === modeShown);
  /** Everything but the view and the search: its counts are those of these conversations. */
  const base: ConversationQuery = {
    ...ofGateway,
    ...(state !== undefined && { state }),
    ...(mode !== undefined && { mode }),
    ...(label !== "" && { label }),
  };
  return {
    view,
    show: (next: ListView) => show(next === "all" ? "" : next),
    search,
    setSearch,
    state,
    setState,
    mode,
    setMode,
    label,
    setLabel,
    me,
    base,
    wanted: { ...base, ...(search !== "" && { q: search }), ...queryOfView(view, me) } as ConversationQuery,
  };
}

export type InboxFilter = ReturnType<typeof useInboxFilter>;
