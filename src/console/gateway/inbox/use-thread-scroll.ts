import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import type { ConversationMessage } from "../../../contracts/gateway/admin.ts";

/** Within this distance of the end, the reader follows new messages. */
const nearPx = 80;

/** The part of the messages that is in view. */
interface Place {
  isAtEnd: boolean;
  /** The first message in view. */
  first?: Element | undefined;
  /** Distance of that message from the upper edge of the box, in pixels. */
  top: number;
}

/**
 * Keeps the reader's place in a box of messages. A reader at the end stays there, and a person's reply scrolls to it. Otherwise the first
 * message in view stays where it is, whatever comes above or below it. The box needs `overflow-anchor: none`.
 */
export function useThreadScroll(messages: readonly ConversationMessage[]): {
  box: RefObject<HTMLDivElement | null>;
  scrolled: () => void;
} {
  const box = useRef<HTMLDivElement>(null);
  const place = useRef<Place>({ isAtEnd: true, top: 0 });
  const newest = useRef<string>(undefined);
  useLayoutEffect(() => {
    const shown = box.current;
    const last = messages.at(-1);
    if (shown === null || last === undefined) return;
    const isOwn = isByPerson(last) && last.id !== newest.current;
    newest.current = last.id;
    const { isAtEnd, first, top } = place.current;
    if (isAtEnd || isOwn) shown.scrollTop = shown.scrollHeight;
    else if (first?.isConnected) shown.scrollTop += topOf(first, shown) - top;
    place.current = placeIn(shown);
  }, [messages]);
  // The reply below grows and shrinks.
  useEffect(() => {
    const shown = box.current;
    if (shown === null) return;
    const observer = new ResizeObserver(() => {
      if (place.current.isAtEnd) shown.scrollTop = shown.scrollHeight;
    });
    observer.observe(shown);
    return () => observer.disconnect();
  }, []);
  return {
    box,
    scrolled() {
      if (box.current !== null) place.current = placeIn(box.current);
    },
  };
}

/** Answers of agents have a run. */
const isByPerson = ({ direction, invocation_id: run }: ConversationMessage): boolean =>
  direction === "outbound" && run === undefined;

function placeIn(box: HTMLElement): Place {
  const isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight <= nearPx;
  const edge = box.getBoundingClientRect().top;
  const first = [...box.querySelectorAll(".ar-bubble")].find(
    (message) => message.getBoundingClientRect().bottom > edge,
  );
  return { isAtEnd, first, top: first === undefined ? 0 : topOf(first, box) };
}

const topOf = (message: Element, box: HTMLElement): number =>
  message.getBoundingClientRect().top - box.getBoundingClientRect().top;
