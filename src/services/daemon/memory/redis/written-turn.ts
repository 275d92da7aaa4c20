import type { Turn } from "../../../../engine/memory/conversation.ts";
import { checkedTurn } from "../storable-turn.ts";

/** Encodes a turn as one string: first its tokens, which the scripts count, then all fields. */
export function writeTurn(turn: Turn): string {
  const { role, content, at, tokenCount, metadata } = checkedTurn(turn);
  return `${tokenCount}|${JSON.stringify([role, content, at.getTime(), metadata])}`;
}

export function readTurn(text: string): Turn {
  const bar = text.indexOf("|");
  const [role, content, at, metadata] = JSON.parse(text.slice(bar + 1));
  return { role, content, at: new Date(at), tokenCount: Number(text.slice(0, bar)), metadata };
}
