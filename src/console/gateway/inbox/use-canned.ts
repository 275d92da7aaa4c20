import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Conversation } from "../../../contracts/gateway/admin.ts";
import { type CannedReply, fillCanned } from "../../../contracts/gateway/desk.ts";
import { useGateway } from "../use-gateway.ts";
import { matchingReplies, type SlashWord, slashWord } from "./canned.ts";
import { usePerson } from "./use-person.ts";

export const cannedKey = (tenant: string) => ["gateway", "canned", tenant] as const;

/** Reads the canned replies of a tenant. */
export function useCannedReplies(tenant: string) {
  const gateway = useGateway();
  return useQuery({
    queryKey: cannedKey(tenant),
    queryFn: () => gateway.listCanned(tenant),
    enabled: tenant !== "",
    staleTime: 60_000,
  });
}

/** Returns a function that puts the conversation's values into a canned reply. */
export function useFilledReply(conversation: Conversation): (reply: CannedReply) => string {
  const person = usePerson();
  const { contact_name, external_user, agent_name } = conversation;
  return ({ text }) =>
    fillCanned(text, {
      name: contact_name ?? external_user,
      address: external_user,
      agent: agent_name,
      person,
    });
}

/** The list of canned replies while a slash word is being typed. */
export interface CannedChoice {
  word: SlashWord;
  replies: readonly CannedReply[];
  /** Number of the reply that Enter inserts. */
  at: number;
  move: (by: 1 | -1) => void;
  close: () => void;
}

/** Offers the replies that fit the slash word before the caret; undefined without one, and after Escape until the word changes. */
export function useCannedChoice(
  replies: readonly CannedReply[],
  text: string,
  caret: number,
): CannedChoice | undefined {
  const [closed, close] = useState("");
  const [place, setPlace] = useState({ part: "", at: 0 });
  const word = slashWord(text, caret);
  if (word === undefined || replies.length === 0) return undefined;
  const mark = `${word.at} ${word.part}`;
  if (closed === mark) return undefined;
  const found = matchingReplies(replies, word.part);
  const at = place.part === word.part ? Math.min(place.at, Math.max(0, found.length - 1)) : 0;
  return {
    word,
    replies: found,
    at,
    move: (by) => setPlace({ part: word.part, at: (at + by + found.length) % Math.max(1, found.length) }),
    close: () => close(mark),
  };
}
